// A listener that needs no model: it answers right once it has heard what it needs, with a stated accuracy.

import { random, subseed } from "../base/random.ts";
import type { Choice, Message, Model, ModelPart, ModelRequest, Usage } from "../core/types.ts";
import { inputTokens, PrefixCache, tokenLength } from "../models/simulated-cache.ts";
import { settle } from "../models/simulated-settings.ts";
import type { Settings, SimulatedOptions } from "../models/simulated-settings.ts";
import { deadlines, sleepUntil } from "../models/simulated-time.ts";
import type { Casting, Seat } from "./cast.ts";
import { recited } from "./recited.ts";
import { mentions, sameAnswer, words } from "./tasks/match.ts";
import type { Need, Role, Sample } from "./task.ts";

// Small models that are asked whether they have heard enough say Yes early, and hardly more often when they have.
const eager = { unknown: 0.55, known: 0.65 };
// How much of its belief the listener puts on its answer, before and after it knows.
const belief = { unknown: 0.35, known: 0.92 };
// Where a task does not say what is needed: 4 words at least, up to 60, mostly few.
const fewest = 4;
const spread = 56;

/** What one role has been heard to say, in the words of a dialogue's messages. */
function heardOf(messages: readonly Message[], role: Role): string[] {
  const text = messages.flatMap(({ role: by, content }) => (by === "user" ? [content] : [])).join("\n\n");
  const parts = text.split(/^(?=[\w-]+(?: \(cut off\))?: )/m).flatMap((part) => {
    const [, agent, said = ""] = /^([\w-]+)(?: \(cut off\))?: ([\s\S]*)$/.exec(part) ?? [];
    // A question about what was heard alone calls it a report, whoever speaks.
    return agent === role.id || agent === "Report" ? [said.trim().replace(/ …(?:\n[\s\S]*)?$/, "")] : [];
  });
  // A cut may have fallen within a word.
  return [parts.join(" "), parts.join("")];
}

function met({ by, said, values }: Need, messages: readonly Message[], sample: Sample): boolean {
  const role = sample.roles.find(({ id }) => id === by);
  if (role === undefined) return false;
  const heard = heardOf(messages, role);
  if (heard.some((text) => text.includes(said))) return true;
  if (role.says !== undefined || values === undefined) return false;
  return heard.some((text) => values.some((value) => mentions(text, value)));
}

/** Whether it knows: it heard what the task says is needed, else as many words as this sample takes (fixed by the seed). */
function knows(messages: readonly Message[], { sample, role, seed }: Seat): boolean {
  const { enough } = sample;
  if (enough !== undefined) return enough.some((needs) => needs.every((need) => met(need, messages, sample)));
  const others = sample.roles.filter((other) => other !== role);
  const heard = others.reduce((sum, other) => sum + words(heardOf(messages, other)[0] ?? "").length, 0);
  return heard >= fewest + spread * random(subseed(seed, "takes"))() ** 2;
}

/** The answer it holds right now; undefined where it knows of none. */
function answerNow(messages: readonly Message[], seat: Seat, accuracy: number): string | undefined {
  const { right, candidates } = seat.sample.answer;
  const wrong = candidates?.filter((candidate) => !right.some((form) => sameAnswer(form, candidate)));
  const next = random(subseed(seat.seed, "answer"));
  const correct = next() < accuracy;
  const astray = wrong?.[Math.floor(next() * wrong.length)];
  if (knows(messages, seat)) return correct ? right[0] : (astray ?? "something else");
  // Before it knows, it guesses where it can.
  return candidates?.[Math.floor(random(subseed(seat.seed, `guess ${inputTokens(messages)}`))() * candidates.length)];
}

const asksYesNo = (text: string): boolean => /\byes\b/i.test(text) && /\bno\b/i.test(text);

type Listener = { readonly seat: Seat; readonly settings: Settings };

function reply(messages: readonly Message[], { seat, settings }: Listener): string {
  const asked = messages.at(-1)?.role === "user" ? (messages.at(-1)?.content.split("\n\n").at(-1) ?? "") : "";
  if (asksYesNo(asked)) {
    const draw = random(subseed(seat.seed, `eager ${inputTokens(messages)}`))();
    return draw < (knows(messages, seat) ? eager.known : eager.unknown) ? "Yes" : "No";
  }
  const answer = answerNow(messages, seat, settings.accuracy[0] ?? 1);
  return `${seat.sample.answer.marker} ${answer ?? "not known yet"}`;
}

/** What it puts on each option: Yes or No, the candidates, or "unknown" for an open answer. */
function think(messages: readonly Message[], options: readonly string[], { seat, settings }: Listener) {
  const known = knows(messages, seat);
  const noise = random(subseed(seat.seed, `noise ${inputTokens(messages)}`))() - 0.5;
  if (options.length === 2 && options.every((option) => /^\W*(?:yes|no)\b/i.test(option))) {
    const yes = (known ? eager.known : eager.unknown) + 0.6 * noise;
    return options.map((option) => (/yes/i.test(option) ? yes : 1 - yes));
  }
  const sure = Math.min(0.98, (known ? belief.known : belief.unknown) + 0.2 * noise);
  if (options.length === 1) return [1 - sure];
  const answer = answerNow(messages, seat, settings.accuracy[0] ?? 1) ?? "";
  const best = options.findIndex((option) => sameAnswer(option, answer));
  return options.map((_, index) =>
    index === best ? sure : (1 - sure) / (best < 0 ? options.length : options.length - 1),
  );
}

function choiceOf(probabilities: readonly number[], options: readonly string[], usage: Usage): Choice {
  const all = options.length === 1 ? [...probabilities, 1 - (probabilities[0] ?? 0)] : probabilities;
  const entropy = all.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
  const most = Math.max(...all);
  return {
    probabilities,
    entropy,
    top: { text: options[all.indexOf(most)] ?? "its answer", probability: most },
    usage,
  };
}

/**
 * A listener for one seat. Right, once the task's needs were heard (or the words that a sample takes, where it states none),
 * with the probability `accuracy`; before that it guesses among candidates, or says that it does not know. Asked for Yes
 * or No it is as overeager as small models are. Tokens, speeds and cache as those of `simulated`.
 */
export function simulatedListener(seat: Seat, options: SimulatedOptions = {}): Model {
  const settings = settle({ id: "simulated-listener", ...options, clock: seat.clock });
  const listener = { seat, settings };
  const cache = new PrefixCache();
  const begin = ({ messages, signal }: ModelRequest) => {
    const [input, read] = [inputTokens(messages), cache.read(messages)];
    const load = { seed: seat.seed, input, cached: settings.cache === "off" || read < settings.minCache ? 0 : read };
    const due = deadlines(seat.clock.now(), load, settings);
    const wait = () => sleepUntil(due(), settings, signal);
    const usage = (outputTokens: number) => ({
      calls: 1,
      inputTokens: input,
      cachedTokens: load.cached,
      outputTokens,
    });
    return { wait, usage };
  };
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    const { wait, usage } = begin(request);
    const tokens = reply(request.messages, listener).match(new RegExp(`[\\s\\S]{1,${tokenLength}}`, "g")) ?? [];
    let said = 0;
    for (const text of tokens) {
      if (said >= (request.maxTokens ?? Infinity)) return yield { type: "end", reason: "length", usage: usage(said) };
      await wait();
      if (request.signal?.aborted === true) return yield { type: "end", reason: "interrupted", usage: usage(said) };
      said++;
      yield { type: "text", text, tokens: 1 };
    }
    yield { type: "end", reason: request.signal?.aborted === true ? "interrupted" : "stop", usage: usage(said) };
  }
  const choose: NonNullable<Model["choose"]> = async (request, choices) => {
    const { wait, usage } = begin(request);
    await wait();
    request.signal?.throwIfAborted();
    return choiceOf(think(request.messages, choices, listener), choices, usage(1));
  };
  return { id: settings.id, simulated: true, continues: true, stream, choose };
}

/** Casts simulated listeners. */
export const simulatedListeners =
  (options: SimulatedOptions = {}): Casting =>
  (seat) =>
    simulatedListener(seat, options);

const filler = "Here is one more thing about it, said in a plain sentence of a dozen words.";

/** Casts simulated speakers: a template's own message, else eight sentences that say nothing, at the stated speed. */
export const simulatedSpeakers =
  (options: SimulatedOptions = {}): Casting =>
  ({ role, clock }) => {
    const { id, decode } = settle({ id: "simulated-speaker", ...options });
    const text = role.says ?? Array.from({ length: 8 }, () => filler).join(" ");
    return { ...recited([text, text, text, text], { id, tokensPerSecond: decode, clock }), simulated: true };
  };
