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

/** Reads a tape for one client. */
class Reader {
  readonly #options: SseOptions;
  readonly #forget: () => void;
  #position: number;
  #wake = () => {};
  #waiting = false;
  #off: (() => void) | undefined;
  /** Nothing was sent since the last look at the time. */
  #quiet = true;
  #due = false;
  #left = false;

  constructor(options: SseOptions) {
    this.#options = options;
    this.#position = options.from ?? 0;
    this.#forget = options.tape.onChange(() => this.#wake());
  }

  /** The next piece; undefined at the end. */
  async next(): Promise<{ readonly text: string; readonly last: boolean } | undefined> {
    for (;;) {
      if (this.#left) return undefined;
      const text = this.#take();
      const last = this.#options.tape.ended && this.#position === this.#options.tape.events.length;
      if (last) {
        this.close();
        return { text: text + this.#options.end(), last };
      }
      const due = this.#due;
      this.#due = false;
      this.#quiet = text === "" && !due && this.#quiet;
      if (text !== "") return { text, last };
      if (due) return { text: ": keep-alive\n\n", last };
      this.#waiting = true;
      if (this.#off === undefined) this.#tick();
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#waiting = false;
    }
  }

  close(): void {
    this.#left = true;
    this.#forget();
    this.#off?.();
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
      if (this.#due) this.#wake();
    });
  }
}

/**
 * A run as server-sent events, pulled from its tape at the client's pace: what a slow client has not read yet is kept once,
 * on the tape, however many read it. What happened since the last look goes out in one piece.
 */
export function sseStream(options: SseOptions): ReadableStream<Uint8Array> {
  const reader = new Reader(options);
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const piece = await reader.next();
    if (piece === undefined) return;
    if (piece.text !== "") controller.enqueue(encoder.encode(piece.text));
    if (piece.last) controller.close();
  };
  const cancel = () => {
    reader.close();
    options.onLeave?.();
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 1 });
}
