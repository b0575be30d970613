import type { Clock } from "../base/clock.ts";
import { after } from "../base/clock.ts";
import type { RunEvent } from "../core/types.ts";
import type { Tape } from "./tape.ts";

export type SseOptions = {
  readonly tape: Tape;
  /** The first event to send. */
  readonly from?: number | undefined;
  /** What an event is on the wire; often nothing. */
  readonly encode: (event: RunEvent, index: number) => string;
  /** What is sent once the run is over. */
  readonly end: () => string;
  readonly clock: Clock;
  /** A comment is sent after so many milliseconds of silence, so that nobody between takes the connection for dead. */
  readonly keepAliveMs: number;
  /** The client left before the end. */
  readonly onLeave?: (() => void) | undefined;
};

/** One event with a value as JSON. */
export const sseEvent = (data: unknown, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

export const sseHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  // Proxies such as nginx would hold events back.
  "x-accel-buffering": "no",
} as const;

const encoder = new TextEncoder();
// Larger pieces save little and would be held for a client that does not read.
const pieceLength = 32_768;

// Node keeps room of three bytes a character for a text that waits for the socket; a token's is cheaper to write as it is.
const smallLength = 4096;

type SsePiece = { readonly text: string; readonly last: boolean };

/** Reads a tape for one client. */
class Reader {
  readonly #options: SseOptions;
  readonly #wake: () => void;
  readonly #forget: () => void;
  #position: number;
  /** All there is was taken, and nobody was woken since. */
  #waiting = false;
  #off: (() => void) | undefined;
  /** Nothing was sent since the last look at the time. */
  #quiet = true;
  #due = false;
  #left = false;

  /** `wake` is called once after each `take` that gave nothing, when the next would give something or the reader was closed. */
  constructor(options: SseOptions, wake: () => void) {
    this.#options = options;
    this.#wake = wake;
    this.#position = options.from ?? 0;
    this.#forget = options.tape.onChange(() => this.#changed());
  }

  get left(): boolean {
    return this.#left;
  }

  /** The next piece; undefined where there is none yet, or no more. */
  take(): SsePiece | undefined {
    if (this.#left) return undefined;
    const text = this.#take();
    const { tape, end } = this.#options;
    if (tape.ended && this.#position === tape.events.length) {
      this.close();
      return { text: text + end(), last: true };
    }
    const due = this.#due;
    this.#due = false;
    this.#quiet = text === "" && !due && this.#quiet;
    if (text !== "") return { text, last: false };
    if (due) return { text: ": keep-alive\n\n", last: false };
    this.#waiting = true;
    if (this.#off === undefined) this.#tick();
    return undefined;
  }

  close(): void {
    this.#left = true;
    this.#forget();
    this.#off?.();
    this.#changed();
  }

  #changed(): void {
    if (!this.#waiting) return;
    this.#waiting = false;
    this.#wake();
  }

  #take(): string {
    const { tape, encode } = this.#options;
    let text = "";
    while (this.#position < tape.events.length && text.length < pieceLength) {
      text += encode(tape.events[this.#position] as RunEvent, this.#position);
      this.#position++;
    }
    return text;
  }

  // One timer for a stream, however many events, and none while the client does not read: it costs nothing a token.
  #tick(): void {
    const { clock, keepAliveMs } = this.#options;
    this.#off = after(clock, keepAliveMs, () => {
      this.#off = undefined;
      if (!this.#waiting) return;
      this.#tick();
      this.#due = this.#quiet;
      this.#quiet = true;
      if (this.#due) this.#changed();
    });
  }
}

/** What streams are made of, so that a server of Node's can write it without the stream between. */
const sources = new WeakMap<ReadableStream<Uint8Array>, SseOptions>();

/**
 * A run as server-sent events, pulled from its tape at the client's pace: what a slow client has not read yet is kept once,
 * on the tape, however many read it. What happened since the last look goes out in one piece.
 */
export function sseStream(options: SseOptions): ReadableStream<Uint8Array> {
  let wake = () => {};
  let reader: Reader | undefined;
  const next = async (): Promise<SsePiece | undefined> => {
    reader ??= new Reader(options, () => wake());
    for (;;) {
      const piece = reader.take();
      if (piece !== undefined || reader.left) return piece;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const piece = await next();
    if (piece === undefined) return;
    if (piece.text !== "") controller.enqueue(encoder.encode(piece.text));
    if (piece.last) controller.close();
  };
  const cancel = () => {
    reader?.close();
    options.onLeave?.();
  };
  const stream = new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
  sources.set(stream, options);
  return stream;
}

/** Where a response of Node's server goes. */
type Outgoing = {
  readonly writableFinished: boolean;
  write(text: string | Uint8Array): boolean;
  end(text: string | Uint8Array): unknown;
  on(name: "close", listener: () => void): unknown;
  once(name: "drain", listener: () => void): unknown;
  flushHeaders(): void;
};

/** Whether a response's body is one of `sseStream`, and nobody has begun to read it. */
export const isStream = ({ body }: Response): boolean => body !== null && !body.locked && sources.has(body);

/**
 * Writes a response's body straight to the socket; it must be one of `sseStream`. A token then takes one write, together with
 * all that was said in the same turn of the event loop.
 */
export function writeDirectly({ body }: Response, outgoing: Outgoing): void {
  const options = sources.get(body as ReadableStream<Uint8Array>) as SseOptions;
  const reader = new Reader(options, () => process.nextTick(pump));
  let begun = false;
  const pump = (): void => {
    for (;;) {
      const piece = reader.take();
      if (piece === undefined) break;
      begun = true;
      const data = piece.text.length > smallLength ? encoder.encode(piece.text) : piece.text;
      if (piece.last) return void outgoing.end(data);
      if (outgoing.write(data)) continue;
      outgoing.once("drain", pump);
      return;
    }
    // With the first words where there are any; else the client waits for them long.
    if (!begun) outgoing.flushHeaders();
    begun = true;
  };
  outgoing.on("close", () => {
    reader.close();
    if (!outgoing.writableFinished) options.onLeave?.();
  });
  pump();
}
