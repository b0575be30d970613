// The file a run's events are kept in.

import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { formatEvent } from "../core/trace.ts";
import type { RunEvent } from "../core/types.ts";
import { reasonOf } from "./reason.ts";

/** A trace being written. What goes wrong ends the writing and never the run. */
export type Saving = {
  /** Adds an event to the end of the file, without waiting for the disk. */
  add(event: RunEvent): void;
  /** Waits for what is on its way to the disk. */
  close(): Promise<void>;
  /** Why the trace is not whole, once something was lost. */
  readonly problem: string | undefined;
};

/** Appends events to `path`, one a line, as they come. `onProblem` is called once, when the first event is lost. */
export function saveTo(path: string, onProblem: (problem: string) => void): Saving {
  let waiting = "";
  let problem: string | undefined;
  let writing: Promise<void> | undefined;
  let file: FileHandle | undefined;
  const write = async () => {
    try {
      file ??= await openToAppend(path);
      while (waiting !== "") {
        const text = waiting;
        waiting = "";
        await file.appendFile(text);
      }
    } catch (error) {
      problem = `${path}: ${reasonOf(error)}; ${file === undefined ? "no trace is kept" : "the trace ends early"}`;
      onProblem(problem);
    }
    writing = undefined;
  };
  return {
    add(event) {
      if (problem !== undefined) return;
      waiting += `${formatEvent(event)}\n`;
      writing ??= write();
    },
    async close() {
      while (writing !== undefined) await writing;
      await file?.close().catch(() => {});
      file = undefined;
    },
    get problem() {
      return problem;
    },
  };
}

/** A file whose last line a crash has cut short gets its line's end first. */
async function openToAppend(path: string): Promise<FileHandle> {
  const file = await open(path, "a+");
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0 && (await file.read(last, 0, 1, size - 1)).bytesRead === 1 && last[0] !== 10)
      await file.appendFile("\n");
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
