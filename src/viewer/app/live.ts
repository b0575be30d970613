// Runs on the server that the page came from: the list of them, and one as it goes on.

import { createParser } from "eventsource-parser";
import { explain } from "../../base/errors.ts";
import { faultOf } from "../../core/trace-check.ts";
import type { RunEvent } from "../../core/types.ts";
import { cell } from "./cells.ts";
import type { Cell } from "./cells.ts";
import { goTo, open, runView } from "./state.ts";
import type { RunView, State } from "./state.ts";

/** A run of the server's list. */
export type Listed = { readonly id: string; readonly label: string };

export type Live = {
  readonly list: Cell<readonly Listed[]>;
  /** What can be asked. */
  readonly teams: Cell<readonly string[]>;
  /** The run that is followed. */
  readonly id: Cell<string | undefined>;
  /** The server wants a key; `key` is kept for as long as the page is open, and nowhere else. */
  readonly locked: Cell<boolean>;
  readonly key: Cell<string>;
};

export const newLive = (): Live => ({
  list: cell<readonly Listed[]>([]),
  teams: cell<readonly string[]>([]),
  id: cell<string | undefined>(undefined),
  locked: cell(false),
  key: cell(""),
});

const pollMs = 3000;

/** Keeps the list up to date, and follows the run that is chosen: at first the newest. */
export function watchServer(state: State, live: Live): void {
  let ends = new AbortController();
  const choose = () => {
    ends.abort();
    ends = new AbortController();
    const id = live.id.get();
    if (id !== undefined) void followRun(state, { live, id, signal: ends.signal });
  };
  live.id.watch(choose);
  choose();
  const poll = () => {
    void readList(state, live).finally(() => setTimeout(poll, pollMs));
  };
  live.key.watch(() => {
    void readList(state, live).then(choose);
  });
  poll();
}

async function readList(state: State, live: Live): Promise<void> {
  try {
    const response = await ask(live, "runs");
    if (!response.ok) return;
    const list = listed(await response.json());
    if (JSON.stringify(list) !== JSON.stringify(live.list.get())) live.list.set(list);
    if (live.id.get() === undefined) live.id.set(list[0]?.id);
    if (live.teams.get().length === 0) await readTeams(live);
    if (state.message.get() === unreachable) state.message.set("");
  } catch {
    state.message.set(unreachable);
  }
}

const unreachable = "The server cannot be reached; trying again.";

const ask = async (live: Live, path: string, init: RequestInit = {}): Promise<Response> => {
  const headers = new Headers(init.headers);
  if (live.key.get() !== "") headers.set("Authorization", `Bearer ${live.key.get()}`);
  const response = await fetch(path, { ...init, headers });
  live.locked.set(response.status === 401);
  return response;
};

type Row = Readonly<Record<string, unknown>>;

const rowsOf = (body: unknown, name: string): readonly Row[] => {
  const rows = (body as Row | null)?.[name];
  return Array.isArray(rows) ? rows.filter((row) => typeof row === "object" && row !== null) : [];
};

/** `{"runs":[{"id","team"?,"state"?,"task"?}]}`, the newest first. */
const listed = (body: unknown): readonly Listed[] =>
  rowsOf(body, "runs").flatMap(({ id, team, state, task }) => {
    if (typeof id !== "string") return [];
    const words = [team, state, task].filter((word) => typeof word === "string" && word !== "");
    return [{ id, label: words.join(" · ") || id }];
  });

async function readTeams(live: Live): Promise<void> {
  const response = await ask(live, "v1/models");
  if (!response.ok) return;
  live.teams.set(rowsOf(await response.json(), "data").flatMap(({ id }) => (typeof id === "string" ? [id] : [])));
}

/** Gives a team a task, and follows the run. False, with a message, where the server did not take it. */
export async function startRun(state: State, live: Live, wish: { model: string; task: string }): Promise<boolean> {
  try {
    const headers = { "Content-Type": "application/json" };
    const response = await ask(live, "runs", { method: "POST", headers, body: JSON.stringify(wish) });
    const body = (await response.json().catch(() => null)) as { id?: unknown; error?: { message?: string } } | null;
    if (!response.ok) throw new Error(body?.error?.message ?? `the server answered ${response.status}`);
    if (typeof body?.id === "string") live.id.set(body.id);
    await readList(state, live);
    return true;
  } catch (error) {
    state.message.set(`The run was not started: ${explain(error)}`);
    return false;
  }
}

type Following = { readonly live: Live; readonly id: string; readonly signal: AbortSignal };

async function followRun(state: State, { live, id, signal }: Following): Promise<void> {
  const path = `runs/${encodeURIComponent(id)}`;
  const run = runView(
    { name: "", events: [] },
    {
      raise: (agent) => raise(live, `${path}/interrupt`, agent),
      giveBack: (agent) => giveBack(live, `${path}/resume`, agent),
    },
  );
  const take = gather(state, run, signal);
  open(state, [run]);
  state.following.set(true);
  const reader = { last: "", done: false };
  for (let failures = 0; !signal.aborted && !reader.done;) {
    try {
      const headers: Record<string, string> = reader.last === "" ? {} : { "Last-Event-ID": reader.last };
      const response = await ask(live, `${path}/events`, { headers, signal });
      if (response.status === 401) return;
      if (response.status === 404) {
        state.message.set("The server has no such run any more.");
        return;
      }
      if (response.status === 204) return;
      if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`);
      failures = 0;
      state.message.set("");
      await readEvents(response.body, reader, take);
    } catch (error) {
      if (signal.aborted) return;
      failures++;
      state.message.set(`The run's events broke off (${explain(error)}); trying again.`);
    }
    if (!reader.done) await pause(Math.min(10_000, 250 * 2 ** failures), signal);
  }
}

type Position = { last: string; done: boolean };

async function readEvents(
  body: ReadableStream<Uint8Array>,
  position: Position,
  take: (event: RunEvent) => void,
): Promise<void> {
  const parser = createParser({
    onEvent({ data, id }) {
      const value: unknown = JSON.parse(data);
      const fault = faultOf(value);
      if (fault !== undefined) throw new Error(fault);
      const event = value as RunEvent;
      if (id !== undefined) position.last = id;
      if (event.type === "run-end") position.done = true;
      take(event);
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done && !position.done; part = await reader.read())
      parser.feed(decoder.decode(part.value, { stream: true }));
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });

/** Events are shown together, as often as drawing leaves time for. */
function gather(state: State, run: RunView, signal: AbortSignal): (event: RunEvent) => void {
  let waiting: RunEvent[] = [];
  let planned = false;
  const flush = () => {
    const began = performance.now();
    const events = waiting;
    waiting = [];
    if (signal.aborted) return;
    grow(state, run, events);
    requestAnimationFrame(() => {
      const cost = performance.now() - began;
      setTimeout(
        () => {
          planned = false;
          if (waiting.length > 0) plan();
        },
        Math.min(100, cost / 2),
      );
    });
  };
  const plan = () => {
    planned = true;
    requestAnimationFrame(flush);
  };
  return (event) => {
    waiting.push(event);
    if (!planned) plan();
  };
}

function grow(state: State, run: RunView, events: readonly RunEvent[]): void {
  const before = state.wall.get();
  const { from, to } = state.range.get();
  run.add(events);
  const wall = Math.max(1, run.scene().timeline.wallMs);
  state.wall.set(wall);
  if (from === 0 && to >= before) state.range.set({ from: 0, to: wall });
  if (state.following.get()) goTo(state, wall);
}

/** How long a cut agent's place is kept, so that the floor can be given back; in milliseconds. */
const holdMs = 5000;

async function post(live: Live, path: string, body: object): Promise<Row> {
  const headers = { "Content-Type": "application/json" };
  const response = await ask(live, path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return ((await response.json().catch(() => null)) as Row | null) ?? {};
}

/** Asks the server to cut an agent; tells what came of it. */
async function raise(live: Live, path: string, agent: string): Promise<string> {
  const { interrupted } = await post(live, path, { agent, by: "a person", hold_ms: holdMs });
  return interrupted === false ? "That came too late: nothing was left to cut." : "";
}

/** Asks the server to let an agent that was cut go on; tells what came of it. */
async function giveBack(live: Live, path: string, agent: string): Promise<string> {
  const { resumed } = await post(live, path, { agent });
  return resumed === false ? "That came too late: the others have gone on without it." : "";
}
