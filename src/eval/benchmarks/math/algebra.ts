// The algebra system behind the grader: in a thread that is ended when it thinks too long, and started again when needed.
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { after, systemClock } from "../../../base/clock.ts";
import type { Clock } from "../../../base/clock.ts";
import { onAbort } from "../../../base/signal.ts";
import type { Open } from "./same.ts";

export type AlgebraOptions = {
  /** How long it may think about one pair of formulas; default 3000 ms. */
  readonly thinkMs?: number | undefined;
  readonly clock?: Clock | undefined;
};

type Reply = { readonly id: number; readonly result?: boolean | undefined };

/** Starting the thread reads half a megabyte of code; on a busy machine that takes seconds. */
const startMs = 60_000;

/** Longer formulas than right answers are. */
const mostText = 400;

const workerUrl = new URL(`./algebra-worker${extname(import.meta.url)}`, import.meta.url);

/** Answers one pair of formulas after another. */
export class Algebra {
  readonly #thinkMs: number;
  readonly #clock: Clock;
  #worker: Worker | undefined;
  #ready: Promise<unknown> = Promise.resolve();
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor({ thinkMs = 3000, clock = systemClock }: AlgebraOptions = {}) {
    this.#thinkMs = thinkMs;
    this.#clock = clock;
  }

  /** Whether two formulas are equal; undefined where that cannot be said, or not in time. Never rejects. */
  equal(pair: Open, signal?: AbortSignal): Promise<boolean | undefined> {
    const tooLong = pair.right.length > mostText || pair.given.length > mostText;
    const turn = this.#last.then(() => (tooLong || signal?.aborted === true ? undefined : this.#ask(pair, signal)));
    this.#last = turn;
    return turn;
  }

  /** Ends the thread; the next question starts another. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async #ask(pair: Open, signal: AbortSignal | undefined): Promise<boolean | undefined> {
    const worker = this.#start();
    worker.ref();
    try {
      if ((await this.#ready) === undefined) return undefined;
      const id = ++this.#count;
      const reply = this.#reply(worker, { id, ms: this.#thinkMs, signal });
      worker.postMessage({ id, ...pair }, []);
      return (await reply)?.result;
    } finally {
      worker.unref();
    }
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(workerUrl, { resourceLimits: { maxOldGenerationSizeMb: 256 }, env: {} });
    this.#worker = worker;
    this.#ready = this.#reply(worker, { id: 0, ms: startMs });
    return worker;
  }

  /** The reply with this id; undefined when the thread breaks, or is ended because the time is over. */
  async #reply(
    worker: Worker,
    { id, ms, signal }: { readonly id: number; readonly ms: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Reply | undefined> {
    const reply = await new Promise<Reply | undefined>((resolve) => {
      const heard = (message: Reply) => {
        if (message.id === id) settle(message);
      };
      const broken = () => settle(undefined);
      let aborted = () => {};
      const settle = (result: Reply | undefined) => {
        late();
        aborted();
        worker.off("message", heard).off("error", broken).off("exit", broken);
        resolve(result);
      };
      worker.on("message", heard).on("error", broken).on("exit", broken);
      const late = after(this.#clock, ms, broken);
      aborted = onAbort(signal, broken);
    });
    if (reply === undefined) await this.#drop(worker);
    return reply;
  }

  async #drop(worker: Worker): Promise<void> {
    if (this.#worker === worker) this.#worker = undefined;
    // An error after the listeners are gone would end the process.
    worker.on("error", () => {});
    await worker.terminate();
  }
}
