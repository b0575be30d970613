// The protocols of a directed acyclic graph: the same agents and prompts, told apart by when a listener hears.

import { ConfigError } from "../base/errors.ts";
import { listenersOf, parentsOf, sources } from "../core/topology.ts";
import type { Step, Topology } from "../core/types.ts";
import { Actor } from "./agent.ts";
import { afterEnd, gathering, hearAll } from "./gather.ts";
import type { Gather } from "./gather.ts";
import type { Cut, Play, Protocol, Stage } from "./stage.ts";

type Actors = ReadonlyMap<string, Actor>;

/** Who still hears whom: changed by routing and by agents that end. */
class Edges {
  readonly #actors: Actors;
  readonly #stage: Stage;
  readonly #listeners: Map<string, readonly string[]>;
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
    for (const listener of all) if (!listeners.includes(listener)) this.#actors.get(listener)?.close(id, "skipped");
  }

  /** Closes the edges of an agent that has ended; a speaker that nobody hears any more need not go on. */
  close(actor: Actor, reason: Parameters<Actor["close"]>[1]): void {
    const { id } = actor.agent;
    for (const listener of this.#listeners.get(id) ?? []) this.#actors.get(listener)?.close(id, reason);
    for (const parent of this.#parents.get(id) ?? []) {
      const heard = (this.#listeners.get(parent) ?? []).some((listener) => this.#actors.get(listener)?.ended === false);
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
    for (const agent of stage.topology.agents) {
      const actor: Actor = new Actor(stage, {
        agent,
        parents: parents.get(agent.id) ?? [],
        gather,
        onStep: (step) => edges.carry(actor, step),
      });
      actors.set(agent.id, actor);
    }
    const edges = new Edges(stage, actors, parents);
    const playing = [...actors.values()].map(async (actor) => edges.close(actor, await actor.play()));
    const interrupt = ({ agent, by, reason, turn }: Cut) => actors.get(agent)?.interrupt(by, { reason, turn }) ?? false;
    return { over: Promise.all(playing).then(() => {}), interrupt };
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

/** The calls and prompts of `stream`, but a listener starts only after its speakers have ended: isolates timing. */
export const segmented: Protocol = graphProtocol("segmented", ({ settings }) => {
  if (settings.hear === "waiting")
    throw new ConfigError("hear", '"waiting" depends on timing, which segmented takes away; use "each" with it');
  return afterEnd(gathering(settings.join, "each"));
});

/** The protocols by name. */
export const protocols: { readonly [name: string]: Protocol } = { single, serial, segmented, stream };
