// The protocols of a directed acyclic graph: the same agents and prompts, told apart by when a listener hears.

import { ConfigError } from "../base/errors.ts";
import { listenersOf, parentsOf, sources } from "../core/topology.ts";
import type { Step, Topology } from "../core/types.ts";
import { Actor } from "./agent.ts";
import { Audience, Ears } from "./ears.ts";
import { afterEnd, gathering, hearAll } from "./gather.ts";
import type { Gather } from "./gather.ts";
import type { Cut, Play, Protocol, Settings, Stage } from "./stage.ts";

type Actors = ReadonlyMap<string, Actor>;

/** Who still hears whom: changed by routing and by agents that end. */
class Edges {
  readonly #actors: Actors;
  readonly #stage: Stage;
  readonly #listeners: Map<string, readonly string[]>;
  /** Who decides on a speaker's latest turn. */
  readonly #audiences = new Map<string, Audience>();
  readonly #steps = new Map<string, Step[]>();
  readonly #parents: ReadonlyMap<string, readonly string[]>;

  constructor(stage: Stage, actors: Actors, parents: ReadonlyMap<string, readonly string[]>) {
    this.#stage = stage;
    this.#actors = actors;
    this.#listeners = new Map(listenersOf(stage.topology));
    this.#parents = parents;
  }

  /** Takes a step to its speaker's listeners; the speaker's first step decides who they are. */
  carry(speaker: Actor, step: Step): void {
    if (step.index === 0) this.#route(speaker, step);
    this.#said(step.agent).push(step);
    for (const id of this.#listeners.get(step.agent) ?? []) this.#actors.get(id)?.hear(step);
  }

  #route(speaker: Actor, step: Step): void {
    const { route, id } = speaker.agent;
    const all = this.#listeners.get(id) ?? [];
    if (route === undefined || all.length === 0) return;
    const chosen = route(step, all);
    const unknown = chosen.find((listener) => !all.includes(listener));
    if (unknown !== undefined)
      throw new ConfigError(`agents.${id}.route`, `"${unknown}" is no listener of ${id} (${all.join(", ")})`);
    const listeners = all.filter((listener) => chosen.includes(listener));
    const stamp = { at: this.#stage.now(), agent: id, seq: speaker.voice.seq++ };
    this.#stage.emit({ type: "route", ...stamp, listeners });
    this.#listeners.set(id, listeners);
    for (const listener of all) {
      if (listeners.includes(listener)) continue;
      this.#audiences.get(id)?.close(listener);
      this.#actors.get(listener)?.close(id, "skipped");
    }
  }

  /** The ears on a speaker's turn: those of its listeners that have a policy. */
  audience(speaker: Actor, turn: number): Audience | undefined {
    const id = speaker.agent.id;
    const ears = (this.#listeners.get(id) ?? []).flatMap((listener) => {
      const actor = this.#actors.get(listener);
      if (actor?.agent.policy?.decide === undefined) return [];
      return [this.#ears(speaker, actor, turn)];
    });
    if (ears.length === 0) return undefined;
    const audience = new Audience(ears);
    this.#audiences.set(id, audience);
    return audience;
  }

  #ears(speaker: Actor, listener: Actor, turn: number): Ears {
    const said = this.#said(speaker.agent.id);
    const partial = (text: string): Step => {
      const index = speaker.voice.steps;
      return {
        type: "step",
        at: this.#stage.now(),
        agent: speaker.agent.id,
        seq: speaker.voice.seq,
        turn,
        index,
        text,
      };
    };
    const ears: Ears = new Ears(this.#stage, {
      listener: listener.agent,
      speaker: speaker.voice,
      turn,
      steps: () => said,
      messages: (text) => listener.wouldHear(partial(text)),
      session: `${this.#stage.run}/${listener.agent.id}/ears`,
      raise: () => this.#handRaised(speaker, listener, turn),
    });
    return ears;
  }

  /** The hand of one listener: a cut, or that listener's leaving. */
  #handRaised(speaker: Actor, listener: Actor, turn: number): boolean {
    const { id } = speaker.agent;
    const by = listener.agent.id;
    const { cut } = this.#stage.settings;
    const others = (this.#listeners.get(id) ?? []).filter(
      (other) => other !== by && this.#actors.get(other)?.ended === false,
    );
    if (cut === "any" || (cut === "all" && others.length === 0)) return speaker.interrupt(by, { turn });
    const text = speaker.unfinished();
    const stamp = { at: this.#stage.now(), agent: id, seq: speaker.voice.seq++, turn };
    this.#stage.emit({ type: "leave", ...stamp, listener: by, text });
    this.#listeners.set(
      id,
      (this.#listeners.get(id) ?? []).filter((other) => other !== by),
    );
    if (text.trim() !== "")
      listener.hear({ type: "step", ...stamp, index: speaker.voice.steps, text: text.trim(), cut: true });
    listener.close(id, "interrupted");
    return true;
  }

  #said(id: string): Step[] {
    const steps = this.#steps.get(id) ?? [];
    this.#steps.set(id, steps);
    return steps;
  }

  /** Closes the edges of an agent that has ended; a speaker that nobody hears any more need not go on. */
  close(actor: Actor, reason: Parameters<Actor["close"]>[1]): void {
    const { id } = actor.agent;
    for (const listener of this.#listeners.get(id) ?? []) this.#actors.get(listener)?.close(id, reason);
    for (const parent of this.#parents.get(id) ?? []) {
      const listeners = this.#listeners.get(parent) ?? [];
      // One that left, or was never spoken to, is no reason to stop.
      const heard =
        !listeners.includes(id) || listeners.some((listener) => this.#actors.get(listener)?.ended === false);
      if (!heard) this.#actors.get(parent)?.interrupt(id, { reason: "nobody hears it any more" });
    }
  }
}

/** A protocol in which every agent of the topology hears its parents as `gather` says. */
export function graphProtocol(name: string, gatherOf: (stage: Stage) => Gather): Protocol {
  const start = (stage: Stage): Play => {
    const parents = parentsOf(stage.topology);
    const actors = new Map<string, Actor>();
    const gather = gatherOf(stage);
    const listeners = listenersOf(stage.topology);
    const byId = new Map(stage.topology.agents.map((agent) => [agent.id, agent]));
    for (const agent of stage.topology.agents) {
      const actor: Actor = new Actor(stage, {
        agent,
        parents: parents.get(agent.id) ?? [],
        gather,
        listeners: (listeners.get(agent.id) ?? []).flatMap((id) => byId.get(id) ?? []),
        onStep: (step) => edges.carry(actor, step),
        audience: (turn) => edges.audience(actor, turn),
      });
      actors.set(agent.id, actor);
    }
    const edges = new Edges(stage, actors, parents);
    const playing = [...actors.values()].map(async (actor) => edges.close(actor, await actor.play()));
    const interrupt = ({ agent, by, ...cut }: Cut) => actors.get(agent)?.interrupt(by, cut) ?? false;
    const resume = (agent: string) => actors.get(agent)?.resume() ?? false;
    return { over: Promise.all(playing).then(() => {}), interrupt, resume };
  };
  return { name, start };
}

/** The first source alone: what one agent does without the others. */
const firstSource = (topology: Topology): Topology => ({
  agents: sources(topology).slice(0, 1),
  edges: [],
});

/** One agent, the task, no listeners: both papers' baseline. */
export const single: Protocol = { ...graphProtocol("single", () => hearAll), cast: firstSource };

/** A listener hears the whole message once it has ended: generate, then transfer. */
export const serial: Protocol = graphProtocol("serial", () => hearAll);

/** Each step travels as soon as it is complete (StreamMA, arXiv 2606.05158, algorithms 2 and 3). */
export const stream: Protocol = graphProtocol("stream", ({ settings }) => gathering(settings.join, settings.hear));

const needsEach = (_: Topology, { hear }: Settings): void => {
  if (hear === "waiting")
    throw new ConfigError("hear", '"waiting" depends on timing, which segmented takes away; use "each" with it');
};

/** The calls and prompts of `stream`, but a listener starts only after its speakers have ended: isolates timing. */
export const segmented: Protocol = {
  ...graphProtocol("segmented", ({ settings }) => afterEnd(gathering(settings.join, "each"))),
  check: needsEach,
};

/** The protocols by name. */
export const protocols: { readonly [name: string]: Protocol } = { single, serial, segmented, stream };
