// What a layer in the middle of a model makes of a text, read through a file that ends there (see `cutGguf`).

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LlamaEmbeddingContext, Token } from "node-llama-cpp";
import { ConfigError, explain, ModelError } from "../base/errors.ts";
import type { Message } from "../core/types.ts";
import { cutGguf } from "../models/llama/gguf-write.ts";
import { checkGguf } from "../models/llama/gguf.ts";
import { share } from "../models/llama/native.ts";
import type { Shared } from "../models/llama/native.ts";
import { promptTokens } from "../models/llama/prompt.ts";
import { promptOptions } from "../models/llama/template.ts";

/** Which layer's states are read. */
export type StateOptions = {
  /** A GGUF file. */
  readonly model: string;
  /** After which layer, from 1. */
  readonly layer: number;
  /** Longest prompt, in tokens; default 2048, at most what the model was trained on. */
  readonly contextTokens?: number | undefined;
  /** Default 1. */
  readonly threads?: number | undefined;
  /** Where the cut file lies meanwhile; the system's folder for such things by default. */
  readonly folder?: string | undefined;
};

/** Reads the last token's state after the layer, normed as the file's own head would see it. */
export type States = {
  readonly of: (messages: readonly Message[]) => Promise<readonly number[]>;
  /** Tokens read so far. */
  readonly tokens: () => number;
  readonly close: () => Promise<void>;
};

/** Cuts the file after the layer and opens it; `close` removes it. Rejects with a ConfigError or a ModelError. */
export async function openStates(options: StateOptions): Promise<States> {
  const { model, layer, contextTokens = 2048, threads = 1 } = options;
  const parent = options.folder ?? tmpdir();
  const folder = await mkdtemp(join(parent, "duplex-ear-")).catch((cause: unknown) => {
    throw new ConfigError(parent, `cannot be written to: ${explain(cause)}`, { cause });
  });
  const file = join(folder, `layer-${layer}.gguf`);
  let shared: Shared | undefined;
  let context: LlamaEmbeddingContext | undefined;
  const close = async () => {
    await context?.dispose();
    await shared?.release();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await cutGguf(model, file, { layers: layer, embed: true });
    shared = await share(file, false);
    const { native } = shared;
    const contextSize = Math.min(contextTokens, native.trainContextSize);
    // An embedding is of one batch.
    context = await native.createEmbeddingContext({ contextSize, batchSize: contextSize, threads });
    const { metadata } = await checkGguf(model);
    const prompt = await promptOptions(model, shared, metadata.get("tokenizer.chat_template"));
    let read = 0;
    return { of: (messages) => stateOf(messages), tokens: () => read, close };

    async function stateOf(messages: readonly Message[]): Promise<readonly number[]> {
      const tokens = promptTokens(messages, new Map(), prompt) as Token[];
      if (tokens.length >= contextSize)
        throw new ModelError(`a prompt of ${tokens.length} tokens is too long for the ear's ${contextSize}`, { model });
      read += tokens.length;
      const embedding = await context?.getEmbeddingFor(tokens);
      return embedding?.vector ?? [];
    }
  } catch (cause) {
    await close();
    if (cause instanceof Error && ["ConfigError", "ModelError"].includes(cause.name)) throw cause;
    throw new ModelError(`cannot read states of ${model}: ${explain(cause)}`, { model, cause });
  }
}
