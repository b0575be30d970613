import { readFile, stat } from "node:fs/promises";
import { ConfigError } from "../base/errors.ts";
import { onAbort, unlessAborted } from "../base/signal.ts";
import { reasonOf } from "./reason.ts";

/** A task takes at most this many bytes. */
export const largestTask = 2 ** 20;

/** What `process.stdin` is. */
export type Stdin = AsyncIterable<Uint8Array | string> & { destroy?(error?: Error): unknown };

export type TaskSource = {
  /** The words on the command line; `-` is standard input. */
  readonly words: string | undefined;
  readonly file?: string | undefined;
  readonly stdin: Stdin;
  /** Stops waiting for standard input, or for a file that is a pipe. */
  readonly signal: AbortSignal;
};

/** The task, from words, a file or standard input. Throws ConfigError where there is none, or what there is cannot be read. */
export async function readTask({ words, file, stdin, signal }: TaskSource): Promise<string> {
  if (words !== undefined && file !== undefined)
    throw new ConfigError("--file", "the task was given as words too; give one of both");
  if (file !== undefined) return checked("--file", await unlessAborted(fromFile(file), signal));
  if (words === "-") return checked("task", await fromStream(stdin, signal));
  if (words === undefined)
    throw new ConfigError("task", 'is missing; write it in quotes, as in duplex run "TASK", or - for standard input');
  return checked("task", words);
}

async function fromFile(file: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(file);
    if (size > largestTask) throw new ConfigError("--file", tooLong);
    return await readFile(file);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError("--file", `${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

const tooLong = `is longer than ${largestTask / 2 ** 20} MB`;

async function fromStream(stdin: Stdin, signal: AbortSignal): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const forget = onAbort(signal, () => stdin.destroy?.(new Error("stopped")));
  try {
    for await (const piece of stdin) {
      const bytes = typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
      size += bytes.length;
      if (size > largestTask) throw new ConfigError("task", tooLong);
      pieces.push(bytes);
    }
  } finally {
    forget();
  }
  return Buffer.concat(pieces);
}

function checked(path: string, from: Uint8Array | string): string {
  const text = typeof from === "string" ? from : decoded(path, from);
  if (text.trim() === "") throw new ConfigError(path, "is empty; say what the agents should work on");
  return text.trim();
}

function decoded(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ConfigError(path, "is not UTF-8 text", { cause });
  }
}
