// Other programs: started, heard line by line, ended with us.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, systemClock } from "../../base/clock.ts";
import type { Clock } from "../../base/clock.ts";
import { onAbort } from "../../base/signal.ts";

/** How another program is run. */
export type RunOptions = {
  /** Its whole environment; default: ours. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Each line of standard output. */
  readonly onLine?: ((line: string) => void) | undefined;
  /** How long it may take to end after it was asked to, in milliseconds; default 60,000. */
  readonly graceMs?: number | undefined;
  readonly clock?: Clock | undefined;
};

export type Ended = {
  /** Null where a signal ended it. */
  readonly code: number | null;
  /** The last 8,000 characters of standard error. */
  readonly errors: string;
};

/** The last line that says something. */
export const lastLine = (text: string): string =>
  text
    .split("\n")
    .findLast((line) => line.trim() !== "")
    ?.trim() ?? "";

/**
 * Runs a program to its end; its standard input stays open until then. On abort it is asked to end, and ended after a while.
 * Rejects where it cannot be started.
 */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { env, signal, onLine, graceMs = 60_000, clock = systemClock } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], ...(env === undefined ? {} : { env }) });
    let errors = "";
    let callOff = () => {};
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-8000);
    });
    // Whoever has ended reads no more.
    child.stdin.on("error", () => {});
    const lines = createInterface({ input: child.stdout });
    const heard = new Promise<void>((done) => lines.on("close", done));
    lines.on("line", (line) => onLine?.(line));
    const forget = onAbort(signal, () => {
      child.kill("SIGTERM");
      callOff = after(clock, graceMs, () => child.kill("SIGKILL"));
    });
    const end = () => {
      forget();
      callOff();
    };
    child.on("error", (error) => {
      end();
      reject(error);
    });
    child.on("close", (code) => {
      end();
      void heard.then(() => resolve({ code, errors }));
    });
    if (signal?.aborted === true) child.kill("SIGTERM");
  });
}
