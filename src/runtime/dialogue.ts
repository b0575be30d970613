// Turn-taking (HandRaiser, arXiv 2604.06452): one agent has the floor, the others listen, and whoever raises a hand takes it.

import { ConfigError } from "../base/errors.ts";
import { whole } from "../core/splitters.ts";
import { failureOf } from "./agent.ts";
import { Audience, Ears } from "./ears.ts";
import type { Listening } from "./ears.ts";
import { Hold } from "./hold.ts";
import type { Cut, Play, Protocol, Stage } from "./stage.ts";
import { hears, phrase, prepare, remember, seated, tell } from "./talk.ts";
import type { DialogueOptions, Resumed, Talk, Utterance } from "./talk.ts";
import { Turn } from "./turn.ts";

export type { DialogueOptions, StopRule, Utterance } from "./talk.ts";

const goOn = /^\W*(?:please\s+|sorry,?\s+)*(?:go on|go ahead|continue|carry on|keep going)\b/i;

type Turning = Pick<Listening, "turn" | "resumes">;

function earsOn(talk: Talk, speaker: number, { turn, resumes }: Turning): Audience {
  const { voice, said } = talk.seats[speaker]!;
  const ears = talk.seats.flatMap((seat, index) => {
    const { agent } = seat;
    const deciding = agent.policy?.decide !== undefined && talk.options.listeners.includes(agent.id);
    if (!deciding || !hears(talk, speaker, index)) return [];
    return new Ears(talk.stage, {
      listener: agent,
      speaker: voice,
      turn,
      resumes,
      steps: () => said,
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

/** Cuts the turn in progress; a second hand ends the holding of the first. */
function cut({ current, stage }: Talk, { agent, by, reason, turn, holdMs = 0 }: Cut): boolean {
  if (current === undefined || stage.stopped()) return false;
  const { voice, turns } = current.seat;
  if (voice.agent.id !== agent || (turn !== undefined && turn !== turns - 1)) return false;
  if (current.cutBy !== undefined) return current.hold?.end() ?? false;
  if (current.turn.ended) return false;
  current.turn.flush();
  current.cutBy = by;
  current.audience.close();
  const stamp = { at: stage.now(), agent, seq: voice.seq++, turn: turns - 1 };
  stage.emit({ type: "interrupt", ...stamp, by, reason });
  current.turn.cut();
  if (holdMs > 0) current.hold = new Hold(stage, holdMs);
  return true;
}

/** Gives the floor back to an agent that was cut and has not spoken since. */
function resume(talk: Talk, agent: string): boolean {
  const { current, said, given } = talk;
  const seat = talk.seats.find((each) => each.agent.id === agent);
  if (seat === undefined || talk.over || talk.stage.stopped()) return false;
  const turn = seat.turns - 1;
  const cutBy =
    current?.seat === seat ? current.cutBy : said.findLast((one) => one.agent === agent && one.turn === turn)?.cutBy;
  if (cutBy === undefined || given.some((each) => each.seat === seat)) return false;
  given.push({ seat, turn });
  if (current?.seat === seat) current.hold?.end();
  return true;
}

/** One message. */
async function speak(talk: Talk, { floor, resumes }: Next): Promise<Utterance> {
  const seat = talk.seats[floor]!;
  const prefix = prepare(talk, seat, resumes);
  const number = seat.turns++;
  talk.speaker = seat.agent.id;
  const { cut: before } = resumes ?? {};
  // The message so far, also where it was cut more than once.
  const begun = before === undefined ? "" : `${talk.whole.get(before) ?? before.text}${prefix ? "" : " "}`;
  const goesOnWith = before === undefined ? undefined : { turn: before.turn, text: begun };
  const audience = earsOn(talk, floor, { turn: number, resumes: goesOnWith });
  const turn = new Turn(talk.stage, seat.voice, {
    turn: number,
    messages: [...seat.messages],
    heard: [],
    resumes: resumes?.cut.turn,
    onSaid: (said) => audience.hear(said),
  });
  const current = { seat, turn, audience, cutBy: undefined, hold: undefined } as NonNullable<Talk["current"]>;
  talk.current = current;
  try {
    const { text } = await turn.over;
    remember(seat, text, prefix);
    const said: Utterance = { agent: seat.agent.id, turn: number, text: text.trim(), cutBy: current.cutBy };
    talk.whole.set(said, `${begun}${text}`);
    if (!talk.stage.stopped()) tell(talk, floor, said);
    await current.hold?.over;
    return said;
  } finally {
    talk.current = undefined;
    audience.close();
    talk.settling.push(audience.settled());
  }
}

function over(talk: Talk): boolean {
  const verdict = talk.options.stop(talk.said);
  if (typeof verdict === "object") talk.answer = verdict.answer;
  return verdict !== false;
}

/** Who has the floor next, and the message it goes on with, if it was cut. */
type Next = { readonly floor: number; readonly resumes?: Resumed | undefined };

/** Who speaks after a message. What somebody outside gave back comes first. */
function nextOf({ seats, said, options, given }: Talk, floor: number): Next {
  const back = given.shift();
  const cutOf = (agent: string, turn: number) => said.findLast((one) => one.agent === agent && one.turn === turn);
  if (back !== undefined) {
    const message = cutOf(back.seat.agent.id, back.turn);
    if (message !== undefined) return { floor: seats.indexOf(back.seat), resumes: { cut: message, given: true } };
  }
  const [previous, last] = [said.at(-2), said.at(-1)];
  if (last !== undefined && previous?.cutBy === last.agent && options.floorBack(last, previous)) {
    const before = seats.findIndex(({ agent }) => agent.id === previous.agent);
    return { floor: before, resumes: { cut: previous, given: false } };
  }
  const taker = seats.findIndex(({ agent }) => agent.id === last?.cutBy);
  return { floor: taker >= 0 ? taker : (floor + 1) % seats.length };
}

async function converse(talk: Talk): Promise<void> {
  const { seats, options, stage } = talk;
  let next: Next = { floor: 0 };
  const most = options.rounds * seats.length;
  // A message that goes on because somebody outside said so is no further message.
  for (let turns = 0; next.resumes?.given === true || turns < most;) {
    if (next.resumes?.given !== true) turns++;
    await speak(talk, next);
    if (stage.stopped()) return;
    // Nor is it asked of one whether it was the last.
    if (talk.given.length === 0 && over(talk)) return;
    next = nextOf(talk, next.floor);
  }
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
      whole: new WeakMap(),
      settling: [],
      current: undefined,
      given: [],
      speaker: "",
      answer: undefined,
      over: false,
    };
    return {
      over: play(talk),
      interrupt: (wish) => cut(talk, wish),
      resume: (agent) => resume(talk, agent),
      answer: () => talk.answer,
    };
  };
  return { name: "dialogue", start, check: (topology) => check(topology, options) };
}

async function play(talk: Talk): Promise<void> {
  const { stage, seats } = talk;
  let failure: { readonly agent: string; readonly error: unknown } | undefined;
  const forget = stage.onStop(() => talk.current?.audience.close());
  try {
    await converse(talk);
  } catch (error) {
    failure = { agent: talk.speaker, error };
    stage.fail(error);
  }
  forget();
  talk.over = true;
  await Promise.all(talk.settling);
  const unfinished = failure !== undefined || stage.stopped();
  for (const { voice, agent } of seats) {
    const failed = failure?.agent === agent.id;
    const reason = failed ? "failed" : unfinished ? "cancelled" : "done";
    const error = failed ? failureOf(failure?.error) : undefined;
    stage.emit({ type: "agent-end", at: stage.now(), agent: agent.id, seq: voice.seq++, reason, error });
  }
}
