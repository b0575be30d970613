// Turn-taking (HandRaiser, arXiv 2604.06452): one agent has the floor, the others listen, and whoever raises a hand takes it.

import { ConfigError } from "../base/errors.ts";
import { whole } from "../core/splitters.ts";
import type { Agent, Message, Step } from "../core/types.ts";
import { failureOf } from "./agent.ts";
import { Audience, Ears, instructionsOf } from "./ears.ts";
import type { Cut, Play, Protocol, Stage } from "./stage.ts";
import { Turn } from "./turn.ts";
import type { Voice } from "./turn.ts";

/** A message of a dialogue, as it was heard. */
export type Utterance = {
  readonly agent: string;
  readonly turn: number;
  readonly text: string;
  /** Who cut it, if somebody did: what was heard is what counts as said. */
  readonly cutBy?: string | undefined;
};

/** Whether the dialogue is over, and with which answer. Asked after each message. */
export type StopRule = (said: readonly Utterance[]) => boolean | { readonly answer: string };

export type DialogueOptions = {
  /** How often each agent speaks at the most, on average; 10. */
  readonly rounds?: number;
  /** Who hears a message: everybody, or the agent that speaks next. */
  readonly audience?: "broadcast" | "next";
  /** The agents that may interrupt; by default all that have a policy. */
  readonly listeners?: readonly string[];
  readonly stop?: StopRule;
  /**
   * Whether a reply to a message that was cut gives the floor back: the speaker then goes on with the same turn. By default
   * a reply that begins with "go on", "continue", "carry on" or "please go on".
   */
  readonly floorBack?: (reply: Utterance, cut: Utterance) => boolean;
};

const goOn = /^\W*(?:please\s+|sorry,?\s+)*(?:go on|go ahead|continue|carry on|keep going)\b/i;

/** What an agent knows of the dialogue. */
type Seat = {
  readonly agent: Agent;
  readonly voice: Voice;
  readonly messages: Message[];
  /** What it heard since it last spoke. */
  pending: string[];
  turns: number;
};

type Talk = {
  readonly stage: Stage;
  readonly options: Required<Omit<DialogueOptions, "listeners">> & { readonly listeners: readonly string[] };
  readonly seats: readonly Seat[];
  readonly said: Utterance[];
  readonly settling: Promise<void>[];
  current:
    | { readonly seat: Seat; readonly turn: Turn; readonly audience: Audience; cutBy: string | undefined }
    | undefined;
  /** Who has the floor. */
  speaker: string;
  answer: string | undefined;
};

const heardLine = ({ agent, text, cutBy }: Utterance): string =>
  cutBy === undefined ? `${agent}: ${text}` : `${agent} (cut off): ${text} …`;

/** The user message an agent is sent when it speaks: the task at first, then what it heard. */
function phrase(talk: Talk, seat: Seat, heard: readonly string[]): string {
  const task = seat.turns === 0 ? [talk.stage.task] : [];
  return [...task, ...heard].join("\n\n");
}

function hears(talk: Talk, speaker: number, listener: number): boolean {
  if (speaker === listener) return false;
  return talk.options.audience === "broadcast" || listener === (speaker + 1) % talk.seats.length;
}

function earsOn(talk: Talk, speaker: number, turn: number): Audience {
  const voice = talk.seats[speaker]!.voice;
  const before = talk.said.filter(({ agent }) => agent === voice.agent.id);
  const ears = talk.seats.flatMap((seat, index) => {
    const { agent } = seat;
    const deciding = agent.policy?.decide !== undefined && talk.options.listeners.includes(agent.id);
    if (!deciding || !hears(talk, speaker, index)) return [];
    return new Ears(talk.stage, {
      listener: agent,
      speaker: voice,
      turn,
      steps: () =>
        before.map((said, step): Step => ({
          ...stampOf(talk, voice),
          type: "step",
          turn: said.turn,
          index: step,
          text: said.text,
        })),
      messages: (text) => {
        const content = phrase(talk, seat, [...seat.pending, `${voice.agent.id}: ${text}`]);
        return [...seat.messages, { role: "user", content }];
      },
      session: `${talk.stage.run}/${agent.id}`,
      raise: () => cut(talk, { agent: voice.agent.id, by: agent.id, turn }),
    });
  });
  return new Audience(ears);
}

const stampOf = (talk: Talk, voice: Voice) => ({ at: talk.stage.now(), agent: voice.agent.id, seq: voice.seq });

/** Cuts the turn in progress. */
function cut({ current, stage }: Talk, { agent, by, reason, turn }: Cut): boolean {
  if (current === undefined || current.cutBy !== undefined || current.turn.ended) return false;
  const { voice, turns } = current.seat;
  if (voice.agent.id !== agent || (turn !== undefined && turn !== turns - 1)) return false;
  current.turn.flush();
  current.cutBy = by;
  current.audience.close();
  const stamp = { at: stage.now(), agent, seq: voice.seq++, turn: turns - 1 };
  stage.emit({ type: "interrupt", ...stamp, by, reason });
  current.turn.cut();
  return true;
}

/** One message. `resumes`: the message that was cut, which the speaker goes on with. */
async function speak(talk: Talk, speaker: number, resumes?: Utterance): Promise<Utterance> {
  const seat = talk.seats[speaker]!;
  const prefix =
    resumes !== undefined && seat.agent.model.continues === true && seat.messages.at(-1)?.role === "assistant";
  // Going on from the prefix, the speaker never learns that it was cut.
  if (!prefix) seat.messages.push({ role: "user", content: phrase(talk, seat, seat.pending) });
  seat.pending = [];
  const number = seat.turns++;
  talk.speaker = seat.agent.id;
  const audience = earsOn(talk, speaker, number);
  const turn = new Turn(talk.stage, seat.voice, {
    turn: number,
    messages: [...seat.messages],
    heard: [],
    resumes: resumes?.turn,
    onSaid: (said) => audience.hear(said),
  });
  talk.current = { seat, turn, audience, cutBy: undefined };
  const current = talk.current;
  try {
    const { text } = await turn.over;
    remember(seat, text, prefix);
    return { agent: seat.agent.id, turn: number, text: text.trim(), cutBy: current.cutBy };
  } finally {
    talk.current = undefined;
    audience.close();
    talk.settling.push(audience.settled());
  }
}

/** Puts what an agent said into its own context; a resumed message grows the one that was cut. */
function remember(seat: Seat, text: string, resumed: boolean): void {
  const last = seat.messages.at(-1);
  if (resumed && last !== undefined)
    seat.messages[seat.messages.length - 1] = { role: "assistant", content: last.content + text };
  else if (text !== "") seat.messages.push({ role: "assistant", content: text });
}

/** Tells the others what was said, and a speaker that was cut so. */
function tell(talk: Talk, speaker: number, said: Utterance): void {
  talk.said.push(said);
  for (const [index, seat] of talk.seats.entries()) if (hears(talk, speaker, index)) seat.pending.push(heardLine(said));
  if (said.cutBy !== undefined) talk.seats[speaker]!.pending.push(`(You were cut off by ${said.cutBy}.)`);
}

function over(talk: Talk): boolean {
  const verdict = talk.options.stop(talk.said);
  if (typeof verdict === "object") talk.answer = verdict.answer;
  return verdict !== false;
}

async function converse(talk: Talk): Promise<void> {
  const { seats, options, stage } = talk;
  let floor = 0;
  let back: { readonly floor: number; readonly cut: Utterance } | undefined;
  for (let turns = 0; turns < options.rounds * seats.length; turns++) {
    const wasCut = back;
    back = undefined;
    const said = await speak(talk, floor, wasCut?.floor === floor ? wasCut.cut : undefined);
    if (stage.stopped()) return;
    tell(talk, floor, said);
    if (over(talk)) return;
    const previous = talk.said.at(-2);
    const taker = seats.findIndex(({ agent }) => agent.id === said.cutBy);
    if (previous?.cutBy === said.agent && options.floorBack(said, previous)) {
      floor = seats.findIndex(({ agent }) => agent.id === previous.agent);
      back = { floor, cut: previous };
    } else floor = taker >= 0 ? taker : (floor + 1) % seats.length;
  }
}

function seated(stage: Stage): Seat[] {
  const { agents } = stage.topology;
  return agents.map((agent) => {
    const others = agents.filter((other) => other !== agent);
    return {
      agent,
      voice: { agent, seq: 0, steps: 0, onStep: () => {}, stop: new AbortController() },
      messages: [{ role: "system", content: instructionsOf(agent, others) }],
      pending: [],
      turns: 0,
    };
  });
}

function check({ agents, edges }: Stage["topology"], { rounds = 10, listeners = [] }: DialogueOptions): void {
  if (agents.length < 2) throw new ConfigError("agents", "a dialogue needs at least two");
  if (edges.length > 0) throw new ConfigError("edges", "a dialogue has none; who hears a message is its `audience`");
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new ConfigError("rounds", `${rounds} is out of range; give 1 or more`);
  const unknown = listeners.find((id) => !agents.some((agent) => agent.id === id));
  if (unknown !== undefined)
    throw new ConfigError("listeners", `"${unknown}" is no agent (${agents.map(({ id }) => id).join(", ")})`);
}

/** Agents that speak in turn and may be interrupted by those who listen. They need no edges. */
export function dialogue(options: DialogueOptions = {}): Protocol {
  const start = (stage: Stage): Play => {
    const talk: Talk = {
      stage: { ...stage, settings: { ...stage.settings, splitter: whole() } },
      options: {
        rounds: options.rounds ?? 10,
        audience: options.audience ?? "broadcast",
        listeners: options.listeners ?? stage.topology.agents.map(({ id }) => id),
        stop: options.stop ?? (() => false),
        floorBack: options.floorBack ?? (({ text }) => goOn.test(text)),
      },
      seats: seated(stage),
      said: [],
      settling: [],
      current: undefined,
      speaker: "",
      answer: undefined,
    };
    return { over: play(talk), interrupt: (wish) => cut(talk, wish), answer: () => talk.answer };
  };
  return { name: "dialogue", start, check: (topology) => check(topology, options) };
}

async function play(talk: Talk): Promise<void> {
  const { stage, seats } = talk;
  let failure: { readonly agent: string; readonly error: unknown } | undefined;
  try {
    await converse(talk);
  } catch (error) {
    failure = { agent: talk.speaker, error };
    stage.fail(error);
  }
  await Promise.all(talk.settling);
  const unfinished = failure !== undefined || stage.stopped();
  for (const { voice, agent } of seats) {
    const failed = failure?.agent === agent.id;
    const reason = failed ? "failed" : unfinished ? "cancelled" : "done";
    const error = failed ? failureOf(failure?.error) : undefined;
    stage.emit({ type: "agent-end", at: stage.now(), agent: agent.id, seq: voice.seq++, reason, error });
  }
}
