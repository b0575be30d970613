// Local models in this process: a GGUF file, run by llama.cpp through the optional peer node-llama-cpp.
import { availableParallelism } from "node:os";
import { systemClock } from "../../base/clock.ts";
import type { Clock } from "../../base/clock.ts";
import { ConfigError } from "../../base/errors.ts";
import type { Model } from "../../core/types.ts";
import { locate } from "../store/index.ts";
import { choose } from "./choose.ts";
import { checkGguf } from "./gguf.ts";
import { loadBias, share } from "./native.ts";
import type { Gpu } from "./native.ts";
import { Pool } from "./pool.ts";
import { speak } from "./speak.ts";
import type { Engine } from "./speak.ts";
import { createState } from "./state.ts";
import type { Adapter, State } from "./state.ts";
import { promptOptions } from "./template.ts";

export { checkGguf, ggmlBlocks, readGguf } from "./gguf.ts";
export type { GgufEntry, GgufHeader, GgufTensor, GgufValue } from "./gguf.ts";
export type { Gpu } from "./native.ts";
export type { Adapter as LlamaAdapter } from "./state.ts";

/** Which local model, and what it may take of the machine. */
export type LlamaOptions = {
  /** A GGUF file. Either this or `name`. */
  readonly path?: string | undefined;
  /** A model of the catalogue that has been pulled. */
  readonly name?: string | undefined;
  /** How many sessions keep their state at once (default 8, made as needed); further ones take the least recently used. */
  readonly contexts?: number | undefined;
  /** Tokens a context holds, prompt and answer together (default 4096, at most what the model was trained on). */
  readonly contextTokens?: number | undefined;
  /** Threads of one context (default 1: contexts run side by side, and threads that share a core collapse). */
  readonly threads?: number | undefined;
  /** How many calls compute at once (default: cores / threads, at most the size of Node's thread pool). */
  readonly atOnce?: number | undefined;
  /** LoRA adapters in GGUF form, by path. */
  readonly lora?: readonly Adapter[] | undefined;
  /** Tokens llama.cpp takes at once (default: `prefillSlice`; more costs memory and gains nothing on a processor). */
  readonly batchTokens?: number | undefined;
  /** Prompt tokens read between two looks at the signal (default 64): an abort waits for one slice at most. */
  readonly prefillSlice?: number | undefined;
  /** Above 1, tokens of the last 64 said are made less likely by this factor (default 1: none). */
  readonly repeatPenalty?: number | undefined;
  /** Use an accelerator where there is one (default: the processor only). */
  readonly gpu?: Gpu | undefined;
  readonly clock?: Clock | undefined;
};

/** A model in this process. `close` frees its contexts, and the file once nobody else uses it. */
export type LlamaModel = Model & {
  readonly continues: true;
  readonly path: string;
  readonly contextTokens: number;
  /** The number of tokens of `text`. */
  countTokens(text: string): number;
  choose: NonNullable<Model["choose"]>;
  close(): Promise<void>;
};

const positive = (value: number, name: string): number => {
  if (Number.isInteger(value) && value > 0) return value;
  throw new ConfigError(`llama.${name}`, `must be a whole number above 0, not ${value}`);
};

/** Libuv computes no more than this many things at once, whatever the cores. */
const poolThreads = () => Number(process.env["UV_THREADPOOL_SIZE"] ?? "") || 4;

function limits(options: LlamaOptions) {
  const threads = positive(options.threads ?? 1, "threads");
  const atOnce = Math.max(1, Math.min(Math.floor(availableParallelism() / threads), poolThreads()));
  const prefillSlice = positive(options.prefillSlice ?? 64, "prefillSlice");
  return {
    threads,
    prefillSlice,
    atOnce: positive(options.atOnce ?? atOnce, "atOnce"),
    contexts: positive(options.contexts ?? 8, "contexts"),
    contextTokens: positive(options.contextTokens ?? 4096, "contextTokens"),
    batchTokens: positive(options.batchTokens ?? prefillSlice, "batchTokens"),
  };
}

/** Opens a local model. Rejects with a ConfigError for a file that cannot be one, a ModelError when it cannot be loaded. */
export async function llama(options: LlamaOptions): Promise<LlamaModel> {
  const wanted = options.path ?? options.name;
  if (wanted === undefined) throw new ConfigError("llama", "needs a path to a GGUF file or the name of a model");
  const limit = limits(options);
  const path = options.path ?? (await locate(wanted));
  const { metadata } = await checkGguf(path);
  const lora = options.lora ?? [];
  for (const adapter of lora) await checkGguf(adapter.path);
  const id = `llama:${options.name ?? options.path ?? wanted}`;
  const shared = await share(path, options.gpu ?? false);
  const { native } = shared;
  const contextTokens = Math.min(limit.contextTokens, native.trainContextSize);
  const pool = new Pool<State>({
    size: limit.contexts,
    atOnce: limit.atOnce,
    create: () => createState(native, { ...limit, contextTokens, lora }),
    destroy: ({ context }) => context.dispose(),
  });
  const engine: Engine = {
    id,
    native,
    pool,
    prompt: await promptOptions(id, shared, metadata.get("tokenizer.chat_template")),
    bias: await loadBias(native),
    clock: options.clock ?? systemClock,
    contextTokens,
    prefillSlice: limit.prefillSlice,
    repeatPenalty: options.repeatPenalty ?? 1,
  };
  return {
    id,
    path,
    contextTokens,
    continues: true,
    stream: (request) => speak(engine, request),
    choose: (request, choices) => choose(engine, request, choices),
    countTokens: (text) => engine.prompt.tokenize(text, false).length,
    close: async () => {
      await pool.close();
      await shared.release();
    },
  };
}
