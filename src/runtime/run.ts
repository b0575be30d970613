// `run`: checks, defaults, and the log of events around a protocol.

import { systemClock } from "../base/clock.ts";
import { ConfigError } from "../base/errors.ts";
import { Log } from "../base/log.ts";
import { onAbort } from "../base/signal.ts";
import { watchdog } from "../base/watchdog.ts";
import { sinks, validate } from "../core/topology.ts";
import type { AgentEnd, RunEnd, RunEvent, RunStart, Topology } from "../core/types.ts";
import { failureOf } from "./agent.ts";
import { checkKinds } from "./check.ts";
import { protocols, stream } from "./protocols.ts";
import { check, settingsOf } from "./settings.ts";
import type { RunOptions } from "./settings.ts";
import type { Cut, Play, Protocol, Stage } from "./stage.ts";

export type { RunOptions } from "./settings.ts";

/**
 * The events of a run as they happen. It begins with the first `next()`; leaving the `for await` cancels it. A run that
 * fails yields its last events, `run-end` among them, and then throws the error; a cancelled one throws the signal's reason.
 */
export type Run = AsyncGenerator<RunEvent, void, undefined> & {
  readonly id: string;
  /** Cuts a speaker; false when that changes nothing (not started, ended, cut before, or another turn). */
  interrupt(agent: string, options?: Omit<Cut, "agent" | "by"> & { readonly by?: string }): boolean;
  /**
   * Gives the floor back to a speaker that was cut wrongly: it goes on with the same turn. In a dialogue at the next change of
   * the floor; in a graph while its place is kept (`holdMs` of the interrupt). False when that changes nothing.
   */
  resume(agent: string): boolean;
  /** One more reader, from the first event on, however late; leaving it cancels nothing. Like `next()` it begins the run. */
  read(): AsyncIterable<RunEvent>;
};

function protocolOf(protocol: Protocol | string | undefined): Protocol {
  if (protocol === undefined) return stream;
  if (typeof protocol !== "string") return protocol;
  const found = Object.hasOwn(protocols, protocol) ? protocols[protocol] : undefined;
  if (protocol === "dialogue") throw new ConfigError("protocol", "a dialogue is not named but made: dialogue({ … })");
  if (found === undefined)
    throw new ConfigError("protocol", `"${protocol}" is none of ${Object.keys(protocols).join(", ")}`);
  return found;
}

/** What is known of a run while it goes on. */
type State = {
  readonly events: Log<RunEvent>;
  readonly ends: Map<string, AgentEnd>;
  failure: { readonly error: unknown } | undefined;
  play: Play | undefined;
  stopped: boolean;
  readonly onStop: Set<() => void>;
};

type Show = {
  readonly protocol: Protocol;
  readonly stage: Stage;
  readonly state: State;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
};

function startOf({ protocol, stage }: Show): RunStart {
  const { agents, edges } = stage.topology;
  const { clock, join, hear } = stage.settings;
  return {
    type: "run-start",
    version: 1,
    at: 0,
    run: stage.run,
    date: clock === systemClock ? new Date().toISOString() : undefined,
    protocol: protocol.name,
    join,
    hear,
    task: stage.task,
    edges,
    agents: agents.map(({ id, model }) => ({ id, model: model.id })),
    simulated: agents.some(({ model }) => model.simulated === true) ? true : undefined,
  };
}

/** How the run ended, seen from its agents' ends. */
function endOf({ stage, state, signal }: Show): Omit<RunEnd, "type" | "at"> {
  if (signal?.aborted === true || (state.stopped && state.failure === undefined)) return { reason: "cancelled" };
  const answered = sinks(stage.topology).some(({ id }) =>
    ["done", "interrupted"].includes(state.ends.get(id)?.reason ?? ""),
  );
  const survived = stage.settings.onFailure === "collect" && answered;
  return state.failure === undefined || survived
    ? { reason: "done" }
    : { reason: "failed", error: failureOf(state.failure.error) };
}

/** Plays to the end. Rejects with the failure or the caller's reason once the log is closed. */
async function perform(show: Show): Promise<void> {
  const { protocol, stage, state, signal } = show;
  state.events.append(startOf(show));
  state.play = protocol.start(stage);
  await state.play.over;
  const end = endOf(show);
  state.events.append({ type: "run-end", at: stage.now(), answer: state.play.answer?.(), ...end });
  state.events.close();
  if (end.reason === "failed") throw state.failure?.error;
  if (signal?.aborted === true) throw signal.reason;
}

/** Ends everything that goes on in a run; the first reason counts. */
function stop(state: State): void {
  state.stopped = true;
  const callbacks = [...state.onStop];
  state.onStop.clear();
  for (const callback of callbacks) callback();
}

function stageOf(cast: Pick<Stage, "run" | "topology" | "task" | "settings">): { stage: Stage; state: State } {
  const state: State = {
    events: new Log(),
    ends: new Map(),
    failure: undefined,
    play: undefined,
    stopped: false,
    onStop: new Set(),
  };
  const { clock, onFailure, idleMs } = cast.settings;
  let epoch: number | undefined;
  const { run: id, topology, task, settings } = cast;
  const stage: Stage = {
    run: id,
    topology,
    task,
    settings,
    watchdog: watchdog(clock, idleMs),
    now() {
      const now = clock.now();
      epoch ??= now;
      return Math.round((now - epoch) * 1000) / 1000;
    },
    stopped: () => state.stopped,
    onStop(callback) {
      if (state.stopped) callback();
      else state.onStop.add(callback);
      return () => void state.onStop.delete(callback);
    },
    emit(event) {
      if (event.type === "agent-end") state.ends.set(event.agent, event);
      state.events.append(event);
    },
    fail(error) {
      if (state.stopped) return;
      state.failure ??= { error };
      if (onFailure === "failFast") stop(state);
    },
  };
  return { stage, state };
}

/** The readers of a run: the first that asks starts it; leaving the main one cancels it. */
function readers(show: Show): Readers {
  const { state, stage } = show;
  const events = state.events[Symbol.asyncIterator]();
  let work: Promise<void> | undefined;
  let release = () => {};
  const begin = (): Promise<void> => {
    // Left before it began.
    if (state.stopped) {
      state.events.close();
      return (work = Promise.resolve());
    }
    release = onAbort(show.signal, () => stop(state));
    work = perform(show).finally(() => {
      // Also where a protocol or a model's name has thrown: no reader waits for ever.
      state.events.close();
      release();
      stage.watchdog.close();
    });
    // Its failure is thrown to the reader at the end.
    work.catch(() => {});
    return work;
  };
  const started = () => work ?? begin();
  const next = async (): Promise<IteratorResult<RunEvent, void>> => {
    const working = started();
    const result = await events.next();
    if (result.done === true) await working;
    return result;
  };
  const leave = async (): Promise<IteratorResult<RunEvent, void>> => {
    stop(state);
    release();
    await started().catch(() => {});
    await events.return?.();
    return { value: undefined, done: true };
  };
  const main: AsyncGenerator<RunEvent, void, undefined> = {
    next,
    return: leave,
    throw: async (error) => {
      await leave();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => {
      await leave();
    },
  };
  const other = (): AsyncIterable<RunEvent> => ({
    [Symbol.asyncIterator]() {
      void started().catch(() => {});
      return state.events[Symbol.asyncIterator]();
    },
  });
  return { main, other };
}

type Readers = {
  readonly main: AsyncGenerator<RunEvent, void, undefined>;
  readonly other: () => AsyncIterable<RunEvent>;
};

/**
 * Runs a team of agents on a task. Throws a ConfigError at once for what is wrong before any call.
 * The default protocol is `stream`: listeners hear each step while the speaker goes on.
 */
export function run(topology: Topology, task: string, options: RunOptions = {}): Run {
  const protocol = protocolOf(options.protocol);
  const settings = settingsOf(options);
  validate(topology);
  checkKinds(topology, task, options);
  protocol.check?.(topology, settings);
  if (task.trim() === "") throw new ConfigError("task", "is empty; say what the agents should work on");
  const cast = protocol.cast?.(topology) ?? topology;
  const { stage, state } = stageOf({ run: options.id ?? crypto.randomUUID(), topology: cast, task, settings });
  const { main, other } = readers({ protocol, stage, state, signal: options.signal });
  return Object.assign(main, {
    id: stage.run,
    interrupt: (agent: string, { by = "caller", ...rest }: Parameters<Run["interrupt"]>[1] = {}) => {
      check("holdMs", rest.holdMs, (value) => value >= 0);
      return state.play?.interrupt({ agent, by, ...rest }) ?? false;
    },
    resume: (agent: string) => state.play?.resume?.(agent) ?? false,
    read: other,
  });
}
