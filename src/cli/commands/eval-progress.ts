import type { Result } from "../../eval/index.ts";
import type { Io } from "../io.ts";
import { statusOn } from "../status.ts";

/** Tells how far an evaluation is. */
export type Progress = { readonly add: (result: Result) => void; readonly end: () => void };

/** How many conversations there are to be, and how many there were before. */
export type Extent = { readonly all: number; readonly before: number };

// Where nobody watches, a line now and then.
const everyMs = 30_000;

/** How long what is left will take at the speed so far, in words. */
export function leftOf(elapsedMs: number, finished: number, left: number): string {
  if (finished === 0) return "";
  const seconds = Math.round(((elapsedMs / finished) * left) / 1000);
  if (seconds < 60) return `, about ${seconds} s left`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `, about ${minutes} min left` : `, about ${Math.round(minutes / 60)} h left`;
}

/** Progress and remaining time on stderr: a line that is written over on a terminal, else one every half minute. */
export function progressOf(io: Io, { all, before }: Extent, now = () => performance.now()): Progress {
  const status = statusOn(io);
  const start = now();
  let [finished, failed, shown] = [0, 0, start];
  const text = () => {
    const failures = failed > 0 ? `, ${failed} failed` : "";
    return `${before + finished} of ${all} conversations${failures}${leftOf(now() - start, finished, all - before - finished)}`;
  };
  return {
    add: ({ failure }) => {
      finished++;
      if (failure !== undefined) failed++;
      if (io.stderr.isTTY === true) status.show(text());
      else if (now() - shown >= everyMs) {
        shown = now();
        io.stderr.write(`duplex: ${text()}\n`);
      }
    },
    end: () => status.clear(),
  };
}
