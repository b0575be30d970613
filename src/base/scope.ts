// Structured concurrency: what is started here ends here.

import { onAbort } from "./signal.ts";

export type Scope = {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Fires with `parent` from now on. */
  follow(parent: AbortSignal | undefined): void;
  /** Takes our one listener off the parent again. */
  release(): void;
};

/** A signal of its own that also fires with the parent it follows. */
export function scope(parent?: AbortSignal): Scope {
  const own = new AbortController();
  let release = () => {};
  const follow = (signal: AbortSignal | undefined) => {
    release = onAbort(signal, () => own.abort(signal?.reason));
  };
  follow(parent);
  return { signal: own.signal, abort: (reason) => own.abort(reason), follow, release: () => release() };
}

/**
 * Runs tasks that live and die together: the first failure aborts the rest, and nothing outlives the call.
 * Rejects with the first failure, or with the signal's reason when it fired.
 */
export async function together(
  tasks: readonly ((signal: AbortSignal) => Promise<void>)[],
  signal?: AbortSignal,
): Promise<void> {
  const own = scope(signal);
  let failure: { error: unknown } | undefined;
  await Promise.all(
    tasks.map(async (task) => {
      try {
        await task(own.signal);
      } catch (error) {
        failure ??= { error };
        own.abort(error);
      }
    }),
  );
  own.release();
  if (signal?.aborted) throw signal.reason;
  if (failure !== undefined) throw failure.error;
}
