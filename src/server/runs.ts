import type { Context } from "@opentelemetry/api";
import type { Clock } from "../base/clock.ts";
import { ConfigError, explain } from "../base/errors.ts";
import { usageFold } from "../core/usage.ts";
import type { RunUsage } from "../core/usage.ts";
import type { RunEvent } from "../core/types.ts";
import { run } from "../runtime/run.ts";
import type { Run, RunOptions } from "../runtime/run.ts";
import type { Admission } from "./admission.ts";
import type { Metrics } from "./metrics.ts";
import { HttpError } from "./simulate-request.ts";
import { Tape } from "./tape.ts";
import type { Team } from "./team.ts";

/** A run that goes on, or has ended and is still in memory. */
export type Entry = {
  readonly id: string;
  readonly team: string;
  readonly task: string;
  /** When it started, milliseconds since 1970. */
  readonly started: number;
  readonly tape: Tape;
  readonly usage: () => RunUsage;
  readonly interrupt: Run["interrupt"];
  readonly resume: Run["resume"];
  /** Ends every model stream of it. */
  readonly cancel: (reason: string) => void;
  readonly over: Promise<void>;
};

/** Is told of the events of one run, and when no more will come. */
export type Follower = { readonly add: (event: RunEvent) => void; readonly end: (error?: unknown) => void };

/** Follows each run from its start; `context` is what the run is a part of, in OpenTelemetry's sense. */
export type Follow = (entry: Entry, context: Context | undefined) => Follower;

export type RunsOptions = {
  readonly clock: Clock;
  readonly follow?: readonly Follow[] | undefined;
  readonly metrics: Metrics;
  readonly admission: Admission;
  /** How many traces are kept, and about how many bytes of them; those of runs that go on are never dropped. */
  readonly traces: number;
  readonly traceBytes: number;
  /** A run whose trace grows beyond so many bytes is cancelled. */
  readonly runBytes: number;
};

/** What to start. */
export type Wish = {
  readonly name: string;
  readonly team: Team;
  readonly task: string;
  readonly settings?: Pick<RunOptions, "maxTokens" | "temperature" | "seed"> | undefined;
  /** Whoever asks; the wait for a place ends with it. */
  readonly signal: AbortSignal;
  readonly context?: Context | undefined;
};

const seconds = (ms: number): number => ms / 1000;

/** Whoever follows a run and fails is told of, and left out from then on: the run goes on. */
function harmless(begin: () => Follower): Follower {
  let failed = false;
  const attempt = <T>(work: () => T): T | undefined => {
    if (failed) return undefined;
    try {
      return work();
    } catch (error) {
      failed = true;
      process.emitWarning(`a run is not followed any more: ${explain(error)}`);
      return undefined;
    }
  };
  const follower = attempt(begin);
  return {
    add: (event) => attempt(() => follower?.add(event)),
    end: (error) => attempt(() => follower?.end(error)),
  };
}

/** The runs of a server: those that go on and the traces of the last ones. */
export class Runs {
  readonly #options: RunsOptions;
  readonly #follow: readonly Follow[];
  readonly #entries = new Map<string, Entry>();
  readonly #active = new Set<Entry>();
  #bytes = 0;
  #closing = false;

  constructor(options: RunsOptions) {
    this.#options = options;
    this.#follow = options.follow ?? [];
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  /** The newest first. */
  list(): readonly Entry[] {
    return [...this.#entries.values()].toReversed();
  }

  get closing(): boolean {
    return this.#closing;
  }

  /** Starts a run once there is a place. Rejects with an `HttpError`, or with the signal's reason. */
  async start(wish: Wish): Promise<Entry> {
    this.#refuseWhenClosing();
    const leave = await this.#options.admission.enter(wish.signal);
    try {
      this.#refuseWhenClosing();
      return this.#begin(wish, leave);
    } catch (error) {
      leave();
      throw error instanceof ConfigError ? new HttpError(400, error.message) : error;
    }
  }

  /** Takes no more runs, and cancels those that have not ended by the deadline. Resolves when all have. */
  async close(deadlineMs: number): Promise<void> {
    this.#closing = true;
    const all = Promise.all(Array.from(this.#active, ({ over }) => over));
    const late = new AbortController();
    const cancel = this.#options.clock.sleep(deadlineMs, late.signal).then(() => {
      if (!late.signal.aborted) for (const entry of this.#active) entry.cancel("the server is shutting down");
    });
    await all;
    late.abort();
    await cancel;
  }

  #refuseWhenClosing(): void {
    if (!this.#closing) return;
    const headers = { "retry-after": "5", connection: "close" };
    throw new HttpError(503, "the server is shutting down", { type: "server_error", headers });
  }

  #begin({ name, team, task, settings = {}, context }: Wish, leave: () => void): Entry {
    const stop = new AbortController();
    const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
    const playing = run(team.topology, task, { ...team.options, ...given, signal: stop.signal });
    const tape = new Tape();
    const usage = usageFold();
    const began = this.#options.clock.now();
    const watch = this.#watch(team, name, began);
    let followers: readonly Follower[] = [];
    const entry: Entry = {
      id: playing.id,
      team: name,
      task,
      started: Date.now(),
      tape,
      usage: usage.result,
      interrupt: (agent, cut) => playing.interrupt(agent, cut),
      resume: (agent) => playing.resume(agent),
      cancel: (reason) => stop.abort(new DOMException(reason, "AbortError")),
      over: this.#play(playing, tape, (event) => {
        usage.add(event);
        watch(event);
        if (event.type === "run-start")
          followers = this.#follow.map((follow) => harmless(() => follow(entry, context)));
        for (const { add } of followers) add(event);
        if (tape.bytes > this.#options.runBytes)
          entry.cancel(`the run's trace is larger than ${this.#options.runBytes} bytes`);
      }).then(() => {
        leave();
        this.#observe("duplex_run_seconds", name, began);
        for (const { end } of followers) end(tape.failure?.error);
        this.#ended(entry);
      }),
    };
    this.#entries.set(entry.id, entry);
    this.#active.add(entry);
    return entry;
  }

  /** Counts what happens in a run. */
  #watch(team: Team, name: string, began: number): (event: RunEvent) => void {
    let heard = false;
    return (event) => {
      if (event.type === "chunk" && !heard) {
        heard = true;
        this.#observe("duplex_first_chunk_seconds", name, began);
      } else if (event.type === "interrupt") this.#interrupted(team, name, event.by);
    };
  }

  async #play(playing: Run, tape: Tape, watch: (event: RunEvent) => void): Promise<void> {
    try {
      for await (const event of playing) {
        watch(event);
        tape.append(event);
      }
      tape.end();
    } catch (error) {
      tape.end({ error });
    }
  }

  #observe(name: "duplex_run_seconds" | "duplex_first_chunk_seconds", team: string, began: number): void {
    this.#options.metrics.observe(name, { team }, seconds(this.#options.clock.now() - began));
  }

  #interrupted({ topology }: Team, team: string, by: string): void {
    const who = topology.agents.some(({ id }) => id === by) ? "agent" : "person";
    this.#options.metrics.add("duplex_interrupts_total", { team, by: who });
  }

  #ended(entry: Entry): void {
    const { metrics, traces, traceBytes } = this.#options;
    const { team, tape } = entry;
    const last = tape.events.at(-1);
    metrics.add("duplex_runs_total", { team, reason: last?.type === "run-end" ? last.reason : "failed" });
    const { total } = entry.usage();
    metrics.add("duplex_tokens_total", { team, kind: "input" }, total.inputTokens);
    metrics.add("duplex_tokens_total", { team, kind: "cached" }, total.cachedTokens);
    metrics.add("duplex_tokens_total", { team, kind: "output" }, total.outputTokens);
    this.#active.delete(entry);
    this.#bytes += tape.bytes;
    for (const old of this.#entries.values()) {
      if (this.#entries.size <= traces && this.#bytes <= traceBytes) break;
      if (this.#active.has(old)) continue;
      this.#entries.delete(old.id);
      this.#bytes -= old.tape.bytes;
    }
    metrics.set("duplex_traces_kept", this.#entries.size);
    metrics.set("duplex_trace_bytes", this.#bytes);
  }
}
