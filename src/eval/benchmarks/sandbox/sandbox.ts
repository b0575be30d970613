// A closed place to run code that nobody has looked at: see `docs/benchmarks.md` for what it guarantees.
import { availableParallelism } from "node:os";
import { systemClock } from "../../../base/clock.ts";
import type { Clock } from "../../../base/clock.ts";
import { PythonProcess } from "./process.ts";
import type { Job, Ran } from "./process.ts";

/** What code in the sandbox may take. */
export type SandboxOptions = {
  /** How long one run may compute; default 10 000 ms. Python in WebAssembly is three to five times slower than elsewhere. */
  readonly runMs?: number | undefined;
  /** Memory of the interpreter; default 1024 MB. */
  readonly memoryMb?: number | undefined;
  /** What a run may write or return; default 4 000 000 bytes. */
  readonly outputBytes?: number | undefined;
  /** How many runs there may be at once; default the processor's cores, at most 4. */
  readonly processes?: number | undefined;
  readonly clock?: Clock | undefined;
};

/** Runs code. The methods never reject. */
export interface Sandbox {
  run(job: Job, signal?: AbortSignal): Promise<Ran>;
  /** Ends its processes. Without this they end with the program. */
  close(): void;
}

/** Processes with Python in them, started when they are needed and used again; each run finds the same fresh interpreter. */
export function pythonSandbox(options: SandboxOptions = {}): Sandbox {
  const { runMs = 10_000, memoryMb = 1024, outputBytes = 4_000_000, clock = systemClock } = options;
  const { processes = Math.min(4, availableParallelism()) } = options;
  const limits = { memoryBytes: memoryMb * 2 ** 20, outputBytes, clock };
  const idle = Array.from({ length: Math.max(1, processes) }, () => new PythonProcess(limits));
  const all = [...idle];
  const waiting: ((process: PythonProcess) => void)[] = [];
  const take = (): Promise<PythonProcess> => {
    const free = idle.pop();
    return free === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(free);
  };
  const giveBack = (process: PythonProcess) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(process);
    else next(process);
  };
  return {
    async run(job, signal) {
      const process = await take();
      try {
        return signal?.aborted === true
          ? { outcome: "failed", text: "it was called off" }
          : await process.run(job, runMs, signal);
      } finally {
        giveBack(process);
      }
    },
    close() {
      for (const process of all) process.close();
    },
  };
}
