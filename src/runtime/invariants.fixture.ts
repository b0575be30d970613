// What must hold of every run, whatever happened in it.

import assert from "node:assert/strict";
import { byStep, whole } from "../core/splitters.ts";
import { parentsOf } from "../core/topology.ts";
import type { EventOf, RunEvent, RunStart, TurnEnd } from "../core/types.ts";
import type { Raised, Seen } from "./seen.fixture.ts";
import type { Call } from "./simulation.fixture.ts";

type AgentEvent = Exclude<RunEvent, { type: "run-start" | "run-end" }>;

const of = <T extends RunEvent["type"]>(events: readonly RunEvent[], type: T): EventOf<T>[] =>
  events.filter((event): event is EventOf<T> => event.type === type);

const startOf = (events: readonly RunEvent[]): RunStart => {
  const [first] = events;
  if (first?.type !== "run-start") throw new Error("a run begins with run-start");
  return first;
};

function byAgent(events: readonly RunEvent[]): Map<string, AgentEvent[]> {
  const map = new Map<string, AgentEvent[]>(startOf(events).agents.map(({ id }) => [id, []]));
  for (const event of events) if ("agent" in event) map.get(event.agent)!.push(event);
  return map;
}

/** One terminal event per run, agent and turn; numbers without gaps; time that only moves on. */
function orderly({ late, raised }: Seen): void {
  assert.equal(of(late, "run-start").length, 1);
  assert.equal(of(late, "run-end").length, 1);
  assert.equal(late.at(-1)?.type, "run-end", "a run ends with run-end");
  for (const [index, event] of late.entries())
    assert.ok(index === 0 || event.at >= late[index - 1]!.at, `time goes back at event ${index}`);
  for (const [id, events] of byAgent(late)) {
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index),
      `${id}: numbers have gaps`,
    );
    assert.equal(events.filter(({ type }) => type === "agent-end").length, 1, `${id}: one agent-end`);
    assert.equal(events.at(-1)?.type, "agent-end", `${id}: nothing after its agent-end`);
    const back = raised.some(({ type, agent, done }) => type === "resume" && agent === id && done);
    turnsOf(id, events, back || startOf(late).protocol === "dialogue");
  }
}

/** Turns follow one another, each with one start and one end, and everything said lies within one. */
function turnsOf(id: string, events: readonly AgentEvent[], goesOn: boolean): void {
  let open: number | undefined;
  let turns = 0;
  let steps = 0;
  let cut = false;
  for (const event of events) {
    // A decision may be made when its turn is over.
    if (event.type === "decision") continue;
    if (event.type === "turn-start") {
      assert.deepEqual([open, event.turn], [undefined, turns], `${id}: a turn begins inside another`);
      assert.ok(goesOn || !cut, `${id}: a turn after the cut`);
      open = turns++;
      cut = false;
    }
    if ("turn" in event && event.type !== "interrupt")
      assert.equal(event.turn, open, `${id}: ${event.type} outside its turn`);
    if (event.type === "chunk" || event.type === "step") assert.equal(cut, false, `${id}: ${event.type} after the cut`);
    if (event.type === "step") assert.equal(event.index, steps++, `${id}: steps have gaps`);
    if (event.type === "interrupt") {
      assert.deepEqual(
        [cut && !(goesOn && open === undefined), event.turn],
        [false, open],
        `${id}: cut twice or in another turn`,
      );
      cut = true;
    }
    if (event.type !== "turn-end") continue;
    open = undefined;
    if (cut)
      assert.ok(["interrupted", "cancelled"].includes(event.reason), `${id}: a cut turn ended as ${event.reason}`);
  }
  assert.equal(open, undefined, `${id}: a turn never ended`);
}

/** A turn that goes on with another follows it, and that one was cut; who is given the floor gets it. */
function resumed({ late, raised }: Seen): void {
  const reasons = new Map(of(late, "turn-end").map(({ agent, turn, reason }) => [`${agent}/${turn}`, reason]));
  const back = of(late, "turn-start").filter(({ resumes }) => resumes !== undefined);
  for (const { agent, turn, resumes = -1 } of back) {
    assert.equal(resumes, turn - 1, `${agent} went on with turn ${resumes} in turn ${turn}`);
    assert.equal(reasons.get(`${agent}/${resumes}`), "interrupted", `${agent} went on with a turn that was not cut`);
  }
  // One that was cut between turns goes on with its next.
  const inTurn = ({ agent, at }: Raised) =>
    of(late, "interrupt").findLast((event) => event.agent === agent && event.at <= at)?.turn !== undefined;
  const given = raised.filter((each) => each.type === "resume" && each.done && inTurn(each)).length;
  const talking = startOf(late).protocol === "dialogue";
  if (of(late, "run-end")[0]?.reason === "done") assert.ok(back.length >= given, "the floor was given and not taken");
  if (!talking) assert.ok(back.length <= given, "a speaker went on by itself");
}

/** Whoever reads, whenever: the same events. */
function replayed({ events, late, left }: Seen): void {
  if (left) assert.deepEqual(events, late.slice(0, events.length));
  else assert.deepEqual(events, late);
}

/** The sum of the turns' usage is what the models charged; what they did not say is estimated and said to be. */
function accounted({ late, world }: Seen): void {
  for (const [id, events] of byAgent(late)) {
    const ends = events.filter((event): event is TurnEnd => event.type === "turn-end");
    const calls = world.calls.filter(({ agent }) => agent === id);
    assert.equal(ends.length, calls.length, `${id}: a turn is a call`);
    for (const [turn, end] of ends.entries()) charged(`${id}/${turn}`, end, calls[turn]!);
  }
}

function charged(place: string, end: TurnEnd, call: Call): void {
  if (end.reason === "stop" || end.reason === "length")
    assert.ok(call.charged !== undefined, `${place}: ended as ${end.reason} without the model's end`);
  if (end.usage.estimated === true) {
    assert.ok(end.usage.outputTokens <= call.made, `${place}: more tokens estimated than made`);
    return;
  }
  assert.deepEqual(end.usage, call.charged, `${place}: usage lost or invented`);
}

/** What decisions cost is in the trace: each charge once, but for those that were given up. */
function decided({ late, world }: Seen): void {
  const decisions = of(late, "decision");
  const counted = decisions.flatMap(({ usage }) => usage ?? []);
  assert.equal(new Set(counted).size, counted.length, "a decision was counted twice");
  for (const usage of counted) assert.ok(world.charges.includes(usage), "a decision's cost was invented");
  const givenUp = decisions.filter(
    ({ usage, outcome }) => usage === undefined && ["late", "timeout"].includes(outcome),
  );
  assert.ok(world.charges.length - counted.length <= givenUp.length, "a decision's cost was lost");
  for (const { outcome, advantage } of decisions)
    assert.ok(outcome !== "interrupt" || advantage > 0, "a hand was raised without a reason");
  const raised = decisions.filter(({ outcome }) => outcome === "interrupt").length;
  const hands = of(late, "leave").length + of(late, "interrupt").filter(({ by }) => by !== "world").length;
  assert.ok(raised <= hands, "a raised hand did nothing");
}

/** Every step heard was said before, by a parent, once, and in order; contexts only grow. */
function heardRightly({ late, world }: Seen): void {
  const start = startOf(late);
  const parents = parentsOf({
    agents: world.topology.agents.filter(({ id }) => start.agents.some((a) => a.id === id)),
    edges: start.edges,
  });
  const said = new Map<string, number>();
  const next = new Map<string, number>();
  const left = new Set<string>();
  for (const event of late) {
    if (event.type === "step") said.set(event.agent, event.index + 1);
    if (event.type === "leave") left.add(`${event.agent}→${event.listener}`);
    if (event.type !== "turn-start") continue;
    for (const [speaker, index] of event.heard) {
      const edge: string = `${speaker}→${event.agent}`;
      assert.ok(parents.get(event.agent)?.includes(speaker), `${edge}: no such edge`);
      assert.equal(index, next.get(edge) ?? 0, `${edge}: a step was heard twice, skipped or out of order`);
      const limit = (said.get(speaker) ?? 0) + (left.has(edge) ? 1 : 0);
      assert.ok(index < limit, `${edge}: heard before it was said`);
      next.set(edge, index + 1);
    }
  }
  heardAll({ late, next, said, parents, left });
  for (const { id } of start.agents)
    grows(
      id,
      world.calls.filter(({ agent }) => agent === id),
    );
}

/** An agent that ended as it should has heard every step of every parent that speaks to it. */
function heardAll(seen: {
  late: readonly RunEvent[];
  next: Map<string, number>;
  said: Map<string, number>;
  parents: ReadonlyMap<string, readonly string[]>;
  left: ReadonlySet<string>;
}): void {
  const routes = new Map(of(seen.late, "route").map(({ agent, listeners }) => [agent, listeners]));
  for (const { agent, reason } of of(seen.late, "agent-end")) {
    if (reason !== "done") continue;
    for (const parent of seen.parents.get(agent) ?? []) {
      if (routes.get(parent)?.includes(agent) === false || seen.left.has(`${parent}→${agent}`)) continue;
      assert.equal(
        seen.next.get(`${parent}→${agent}`) ?? 0,
        seen.said.get(parent) ?? 0,
        `${agent} missed steps of ${parent}`,
      );
    }
  }
}

function grows(id: string, calls: readonly Call[]): void {
  for (const [index, { request }] of calls.entries()) {
    if (index === 0) continue;
    const before = calls[index - 1]!.request.messages;
    for (const [place, { role, content }] of before.entries()) {
      const now = request.messages[place];
      // A prefix that the model went on from has grown.
      const grown = role === "assistant" && place === before.length - 1;
      const same = now?.role === role && (grown ? now.content.startsWith(content) : now.content === content);
      assert.ok(same, `${id}: context ${index} does not begin with the one before`);
    }
  }
}

/** What was said is what the model made, up to the cut, without delimiters; steps are cut from it. */
function faithful({ late, world }: Seen): void {
  const { protocol } = startOf(late);
  for (const [id, events] of byAgent(late)) {
    const calls = world.calls.filter(({ agent }) => agent === id);
    let before = "";
    for (const [turn, { request, acts, made }] of calls.entries()) {
      const inTurn = events.filter((event) => "turn" in event && event.turn === turn);
      const goesOn = protocol !== "dialogue" && of(inTurn, "turn-start")[0]?.resumes !== undefined;
      const last = request.messages.at(-1);
      const prefix = goesOn && last?.role === "assistant" ? last.content : "";
      if (prefix === "") before = "";
      const shown = before + joined(of(inTurn, "chunk"));
      const texts = acts.flatMap((act) => (act.type === "say" ? [act.text] : []));
      const all = squeeze(visible(prefix + texts.slice(0, made).join(""), protocol));
      assert.ok(all.startsWith(shown), `${id}/${turn}: said what was not made`);
      // The step that was cut is said whole by the turn that goes on with it.
      const steps = joined(of(inTurn, "step"));
      assert.ok(prefix === "" ? shown.startsWith(steps) : shown.includes(steps), `${id}/${turn}: a step not said`);
      before = shown;
    }
  }
}

const joined = (said: readonly { readonly text: string }[]): string => squeeze(said.map(({ text }) => text).join(""));

/** A text as readers see it: what the splitter, tested on its own, shows of the whole of it. */
function visible(text: string, protocol: string): string {
  const cutter = (protocol === "dialogue" ? whole() : byStep())();
  const pieces = [...cutter.push(text), ...cutter.end()];
  return pieces.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
}

const squeeze = (text: string): string => text.replaceAll(/\s+/g, "");

/** Barriers and joins are where the protocol says. */
function timed({ late }: Seen): void {
  const start = startOf(late);
  const endAt = new Map(of(late, "agent-end").map(({ agent, at }) => [agent, at]));
  const leftAt = new Map(of(late, "leave").map(({ agent, listener, at }) => [`${agent}→${listener}`, at]));
  const turns = of(late, "turn-start");
  for (const { agent, at, heard } of turns) {
    const speakers = heard.map(([speaker]) => speaker);
    if (start.protocol === "serial" || start.protocol === "segmented")
      for (const speaker of speakers) {
        const closed = Math.min(endAt.get(speaker) ?? 1e9, leftAt.get(`${speaker}→${agent}`) ?? 1e9);
        assert.ok(closed <= at, `${agent} spoke before ${speaker} ended or it left`);
      }
    const aligned = start.join === "aligned" && ["stream", "segmented"].includes(start.protocol);
    if (aligned && start.hear === "each" && leftAt.size === 0)
      assert.ok(new Set(heard.map(([, index]) => index)).size <= 1, `${agent} heard steps of two rows in a call`);
    if (start.protocol !== "serial" && start.hear === "each")
      assert.equal(new Set(speakers).size, speakers.length, `${agent} heard two steps of one speaker in a call`);
  }
}

/** It ends within a bound of the last thing that can happen, and leaves nobody waiting. */
function bounded({ world, cancelled, endedAt, late }: Seen): void {
  assert.ok((late.at(-1)?.at ?? 0) < 1e6, "a stall was waited for");
  const { cancelAt, options } = world;
  if (cancelled && cancelAt !== undefined)
    assert.ok(endedAt <= cancelAt + options.graceMs, `cancelled at ${cancelAt}, ended at ${endedAt}`);
}

/** Of a run that was cancelled nobody is cut any more: hands change nothing, and an agent that ends cuts none of its speakers. */
function uncut({ world: { cancelAt = 0 }, cancelled, late, raised }: Seen): void {
  const hands = raised.filter((each) => each.type === "interrupt" && each.cancelled && each.done);
  const cuts = of(late, "interrupt").filter(({ at }) => cancelled && at > cancelAt);
  assert.deepEqual([...hands, ...cuts], [], "cut after it was cancelled");
}

/** Checks everything that must hold; throws with the seed of the world when it does not. */
export function check(seen: Seen): void {
  for (const invariant of [
    orderly,
    resumed,
    replayed,
    accounted,
    decided,
    heardRightly,
    faithful,
    timed,
    bounded,
    uncut,
  ]) {
    try {
      invariant(seen);
    } catch (error) {
      throw new Error(`seed ${seen.world.seed}: ${invariant.name}: ${(error as Error).message}`, { cause: error });
    }
  }
}
