// Runs in a SQLite file, by the optional package node-sqlite3-wasm, written in a thread of its own.

import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Worker } from "node:worker_threads";
import { ConfigError } from "../base/errors.ts";
import type { RunHead, RunRecorder, RunStore, RunSummary } from "./run-store.ts";
import type { Answers, Asked, Batch, Block, Reply, SqliteBounds } from "./sqlite-messages.ts";

/** How much is kept, and whom to tell. */
export type SqliteOptions = { readonly [Bound in keyof SqliteBounds]?: number | undefined } & {
  /** Gets a line for people when runs cannot be written, and when they can be again; default: a warning of the process. */
  readonly warn?: ((line: string) => void) | undefined;
};

const defaults: SqliteBounds = { runs: 10_000, days: 30, bytes: 2 ** 30 };
// What happened since goes to the disk together; so much may be lost when the process is killed.
const flushMs = 200;
// A page for a reader, and about as much as a write takes before the next.
const blockChars = 2 ** 16;
const waitingChars = 2 ** 20;
// Where the disk is slower than the models for long, runs are dropped rather than the memory filled.
const mostChars = 2 ** 26;

const inUse = new Set<string>();

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

/** The thread, asked by messages. */
class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;
  #failure: Error | undefined;

  constructor() {
    // What the program was told to load first, as a telemetry SDK, is not for this thread.
    const { NODE_OPTIONS: _, ...env } = process.env;
    this.#worker = new Worker(new URL("./sqlite-worker.js", import.meta.url), { execArgv: [], env });
    this.#worker.on("message", (reply: Reply) => {
      const waiting = this.#waiting.get(reply.number);
      this.#waiting.delete(reply.number);
      if (this.#waiting.size === 0) this.#worker.unref();
      if ("value" in reply) waiting?.resolve(reply.value);
      else waiting?.reject(reply.missing === true ? missing() : new ConfigError("", reply.problem));
    });
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("its thread has ended")));
    this.#worker.unref();
  }

  ask<T extends Asked>(asked: T): Promise<Answers[T["type"]]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const number = this.#number++;
    this.#worker.ref();
    this.#worker.postMessage({ number, asked }, []);
    return new Promise((done, reject) => {
      this.#waiting.set(number, { resolve: done as (value: unknown) => void, reject });
    });
  }

  async end(): Promise<void> {
    this.#worker.ref();
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}

const missing = () =>
  new ConfigError("", "needs the optional package node-sqlite3-wasm: run `npm i node-sqlite3-wasm`");

type Growing = { first: number; count: number; lines: string[]; chars: number; ms: number };

/** Collects what happens, and has it written together. */
class Writer {
  readonly #thread: Thread;
  readonly #tell: (problem: string | undefined) => void;
  #begun: RunHead[] = [];
  #blocks: Block[] = [];
  #ended: Batch["ended"][number][] = [];
  readonly #growing = new Map<string, Growing>();
  #chars = 0;
  #unwritten = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(thread: Thread, tell: (problem: string | undefined) => void) {
    this.#thread = thread;
    this.#tell = tell;
  }

  begin(head: RunHead): RunRecorder {
    this.#begun.push(head);
    const { id } = head;
    let seen = 0;
    let dropped = false;
    return {
      add: (line, at) => {
        dropped ||= this.#unwritten > mostChars;
        if (dropped) return;
        this.#add(id, { line, at, index: seen++ });
      },
      end: ({ state, usage }) => {
        // A run of which something is missing is told as one that was cut off.
        this.#seal(id);
        this.#ended.push({ run: id, state: dropped ? "failed" : state, usage });
        this.#soon();
      },
    };
  }

  #add(run: string, { line, at, index }: { readonly line: string; readonly at: number; readonly index: number }): void {
    let block = this.#growing.get(run);
    if (block === undefined) {
      block = { first: index, count: 0, lines: [], chars: 0, ms: 0 };
      this.#growing.set(run, block);
    }
    block.lines.push(line);
    block.count++;
    block.chars += line.length + 1;
    block.ms = at;
    this.#chars += line.length + 1;
    if (block.chars >= blockChars) this.#seal(run);
    if (this.#chars >= waitingChars) void this.flush();
    else this.#soon();
  }

  #seal(run: string): void {
    const block = this.#growing.get(run);
    if (block === undefined) return;
    this.#growing.delete(run);
    const { first, count, lines, ms } = block;
    this.#blocks.push({ run, first, count, lines: lines.join("\n"), ms });
  }

  #soon(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.flush(), flushMs);
    this.#timer.unref();
  }

  /** Sends what there is; never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const run of this.#growing.keys()) this.#seal(run);
    if (this.#begun.length + this.#blocks.length + this.#ended.length === 0) return;
    const batch = { begun: this.#begun, blocks: this.#blocks, ended: this.#ended };
    const chars = this.#chars;
    [this.#begun, this.#blocks, this.#ended] = [[], [], []];
    this.#chars = 0;
    this.#unwritten += chars;
    try {
      await this.#thread.ask({ type: "write", batch });
      this.#tell(undefined);
    } catch (error) {
      this.#tell((error as Error).message);
    } finally {
      this.#unwritten -= chars;
    }
  }
}

/** Says a problem once, and that it is over. */
function teller(file: string, warn: (line: string) => void): (problem: string | undefined) => void {
  let told: string | undefined;
  return (problem) => {
    if (problem === told) return;
    if (problem === undefined) warn(`${file}: runs are written again`);
    else warn(`${file}: ${problem}; serving goes on, but runs are kept in memory only until it can be written`);
    told = problem;
  };
}

/** One name for a file, by whatever link it is given: locks stand beside it. */
async function placeOf(file: string): Promise<string> {
  const path = resolve(file);
  const folder = () => realpath(dirname(path)).then((found) => join(found, basename(path)));
  return realpath(path)
    .catch(folder)
    .catch(() => path);
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path)
    .then((found) => found.isDirectory())
    .catch(() => false);

/**
 * Keeps runs in a SQLite file, which is made where there is none. Rejects with a ConfigError where the optional package
 * node-sqlite3-wasm is missing, the file is broken, another program's or another server's, or cannot be opened.
 */
export async function sqliteStore(file: string, options: SqliteOptions = {}): Promise<RunStore> {
  const { warn = (line: string) => process.emitWarning(line), ...given } = options;
  const bounds = {
    ...defaults,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
  for (const [name, value] of Object.entries(bounds))
    if (!(value > 0)) throw new ConfigError(`store.${name}`, `must be above 0, not ${value}`);
  if (file.trim() === "") throw new ConfigError("store", "is empty; name a file");
  const path = await placeOf(file);
  if (await isFolder(path)) throw new ConfigError("store", `${file}: is a folder; name a file in it`);
  if (inUse.has(path)) throw new ConfigError("store", `${file}: this process uses it already`);
  inUse.add(path);
  const thread = new Thread();
  const end = async () => {
    inUse.delete(path);
    await thread.end();
  };
  try {
    await thread.ask({ type: "open", file: path, bounds });
  } catch (error) {
    await end();
    throw new ConfigError("store", `${file}: ${(error as Error).message}`, { cause: error });
  }
  const writer = new Writer(thread, teller(file, warn));
  const written = <T extends Asked>(asked: T) => writer.flush().then(() => thread.ask(asked));
  return {
    begin: (head) => writer.begin(head),
    list: ({ limit, before }): Promise<readonly RunSummary[]> => written({ type: "list", limit, before }),
    async find(id) {
      const summary = await written({ type: "find", id });
      return summary && { summary, lines: (from) => written({ type: "lines", id, from }) };
    },
    async close() {
      await writer.flush();
      await thread.ask({ type: "close" }).catch((error: unknown) => warn(`${file}: ${(error as Error).message}`));
      await end();
    },
  };
}
