// One context of llama.cpp and what its session said; reading a prompt into it, reusing what it already holds.
import type { LlamaContext, LlamaContextSequence, LlamaModel as NativeModel, Token } from "node-llama-cpp";
import type { Spoken } from "./speech.ts";

/** A context of its own for one session at a time. */
export type State = {
  readonly context: LlamaContext;
  readonly sequence: LlamaContextSequence;
  /** What the model said in this session, by message index. */
  readonly said: Map<number, Spoken>;
};

/** A LoRA adapter in GGUF form, and how strongly it acts (default 1). */
export type Adapter = { readonly path: string; readonly scale?: number };

export type StateOptions = {
  readonly contextTokens: number;
  readonly threads: number;
  readonly batchTokens: number;
  readonly lora: readonly Adapter[];
};

/** Makes a context with one sequence. */
export async function createState(native: NativeModel, options: StateOptions): Promise<State> {
  const { contextTokens, threads, batchTokens, lora } = options;
  const adapters = lora.map(({ path, scale = 1 }) => ({ filePath: path, scale }));
  const context = await native.createContext({
    contextSize: contextTokens,
    batchSize: batchTokens,
    threads,
    ...(adapters.length > 0 ? { lora: { adapters } } : {}),
  });
  return { context, sequence: context.getSequence(), said: new Map() };
}

/** How far a prompt was read: `evaluated` tokens on top of `cached` ones; `rest` is what was not, the last token at least. */
export type Read = { readonly cached: number; readonly evaluated: number; readonly rest: Token[] };

/**
 * Reads all of `tokens` but the last slice (1 to `slice` tokens), evaluating only what the sequence does not hold yet.
 * Stops between slices when the signal fires: llama.cpp cannot be stopped inside one.
 */
export async function readPrompt(
  sequence: LlamaContextSequence,
  tokens: readonly number[],
  { slice, signal }: { readonly slice: number; readonly signal: AbortSignal | undefined },
): Promise<Read> {
  const all = tokens as readonly Token[];
  await sequence.adaptStateToTokens(all.slice(0, -1), false);
  const cached = sequence.nextTokenIndex;
  let next = cached;
  while (all.length - next > slice && signal?.aborted !== true) {
    await sequence.evaluateWithoutGeneratingNewTokens(all.slice(next, next + slice));
    next += slice;
  }
  return { cached, evaluated: next - cached, rest: all.slice(next) };
}
