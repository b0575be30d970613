// What every policy must do, whoever wrote it: tests of `node:test`.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import { random, subseed } from "../base/random.ts";
import type { Decision, Hearing, Policy } from "../core/policy.ts";
import type { Choice, Model, ModelPart, ModelRequest, Usage } from "../core/types.ts";
import { none, sum } from "../core/usage.ts";
import { VirtualClock } from "./clock.ts";

/** What a policy under test may use; a policy that asks another model than the listener's asks `model`. */
export type PolicyKit = { readonly model: Model; readonly clock: VirtualClock };

/** The policy that is tested. */
export type PolicySubject = {
  /** A new policy; called for each test, and for each of two policies that must decide alike. */
  readonly make: (kit: PolicyKit) => Policy;
  /** Milliseconds of virtual time within which a decision that is called off must be over; 100. */
  readonly offMs?: number | undefined;
  /** Set for a policy with a prompt of its own, which does not extend what the listener would be sent. */
  readonly ownPrompt?: boolean | undefined;
};

/** A model that answers after `ms` and says what it charged. */
type Judge = Model & { readonly charged: readonly Usage[]; readonly requests: readonly ModelRequest[] };

const abortMs = 5;

/** Answers that depend on the messages alone, so that equal hearings get equal answers. */
function judge(clock: VirtualClock, { ms = 1, fails }: { ms?: number; fails?: Error } = {}): Judge {
  const charged: Usage[] = [];
  const requests: ModelRequest[] = [];
  const begin = async (request: ModelRequest) => {
    requests.push(request);
    const text = request.messages.map(({ content }) => content).join("\n");
    const numbers = random(subseed(1, text.slice(-4000)));
    await clock.sleep(ms, request.signal);
    if (fails !== undefined && request.signal?.aborted !== true) throw fails;
    const inputTokens = Math.ceil(text.length / 4);
    const charge = (outputTokens: number): Usage => {
      const usage = { calls: 1, inputTokens, cachedTokens: Math.floor(inputTokens / 2), outputTokens };
      charged.push(usage);
      return usage;
    };
    return { numbers, charge };
  };
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    const { numbers, charge } = await begin(request);
    if (request.signal?.aborted === true) {
      await clock.sleep(abortMs);
      yield { type: "end", reason: "interrupted", usage: charge(0) };
      return;
    }
    yield { type: "text", text: numbers() < 0.5 ? "Yes" : "No", tokens: 1 };
    yield { type: "end", reason: "stop", usage: charge(1) };
  }
  async function choose(request: ModelRequest, options: readonly string[]): Promise<Choice> {
    const { numbers, charge } = await begin(request);
    request.signal?.throwIfAborted();
    const weights = options.map(() => 0.05 + numbers());
    const total = weights.reduce((all, weight) => all + weight, 0) / 0.9;
    const probabilities = weights.map((weight) => weight / total);
    const best = probabilities.indexOf(Math.max(...probabilities));
    const top = { text: options[best] ?? "", probability: probabilities[best] ?? 0 };
    return { probabilities, entropy: numbers(), top, usage: charge(1) };
  }
  return { id: "judge", continues: true, stream, choose, charged, requests };
}

const speech =
  "The shop opens at nine. The red bicycle costs 120 euros, the blue one 95. Both come with a lamp and a lock, and are 🚲 new. ";

type Place = { readonly model: Model; readonly talk: string; readonly turn?: number };

/** What is heard after so many chunks of 16 characters. */
function heard({ model, talk, turn = 0 }: Place, chunks: number, text = speech.slice(0, chunks * 16)): Hearing {
  const task = `What does the blue bicycle cost? (${talk})`;
  return Object.freeze({
    task,
    listener: "listener",
    speaker: "speaker",
    turn,
    text,
    chunks,
    tokens: chunks * 4,
    steps: [],
    messages: () => [
      { role: "system" as const, content: "You answer questions." },
      { role: "user" as const, content: `${task}\n\nspeaker: ${text}` },
    ],
    model,
    session: `${talk}/listener`,
  });
}

type Trial = { readonly clock: VirtualClock; readonly model: Judge; readonly policy: Policy };

function trial({ make }: PolicySubject, behaviour: Parameters<typeof judge>[1] = {}): Trial {
  const clock = new VirtualClock();
  const model = judge(clock, behaviour);
  return { clock, model, policy: make({ model, clock }) };
}

async function decide({ policy }: Trial, hearing: Hearing, signal = new AbortController().signal): Promise<Decision> {
  return (await policy.decide?.(hearing, signal)) ?? { advantage: 0 };
}

function wellFormed({ advantage, probability, note }: Decision): void {
  assert.ok(Number.isFinite(advantage), `the advantage is ${advantage}`);
  assert.ok(probability === undefined || (probability >= 0 && probability <= 1), `the probability is ${probability}`);
  assert.ok(note === undefined || typeof note === "string");
}

/** Decisions on the chunks of a turn, one after the other. */
async function listenTo(own: Trial, place: Omit<Place, "model">, chunks: readonly number[]): Promise<Decision[]> {
  const decisions: Decision[] = [];
  for (const count of chunks) decisions.push(await decide(own, heard({ model: own.model, ...place }, count)));
  return decisions;
}

const judgment = ({ advantage, probability, note }: Decision) => ({ advantage, probability, note });
const usageOf = (decisions: readonly Decision[]): Usage => sum(decisions.map(({ usage }) => usage ?? none));
const chunks = [1, 2, 3, 4, 6, 7, 8];

type Case = (subject: PolicySubject) => Promise<void>;

const texts: Readonly<Record<string, string>> = {
  "nothing at all": "",
  "a megabyte": speech.repeat(Math.ceil(2 ** 20 / speech.length)),
  "emoji and half of one": "🚲🏳️‍🌈👩‍👩‍👧 \ud83d",
};

/** Each rule by its title; rejects for a policy that breaks it. */
export const policyCases: Readonly<Record<string, Case>> = {
  "it has a name, and what it tells speakers is not empty": async (subject) => {
    const { policy } = trial(subject);
    assert.notEqual(policy.name.trim(), "");
    assert.notEqual(policy.speakerNote?.trim(), "");
  },
  "each decision has a finite advantage": async (subject) => {
    const own = trial(subject);
    for (const decision of await own.clock.run(listenTo(own, { talk: "a" }, chunks))) wellFormed(decision);
  },
  "it decides on whatever was heard": async (subject) => {
    for (const [what, text] of Object.entries(texts)) {
      const own = trial(subject);
      const hearing = heard({ model: own.model, talk: what }, 3, text);
      wellFormed(await own.clock.run(decide(own, hearing)));
    }
  },
  "its usage adds up to what the models charged": async (subject) => {
    const own = trial(subject);
    const decisions = await own.clock.run(listenTo(own, { talk: "a" }, chunks));
    assert.deepEqual(usageOf(decisions), sum(own.model.charged));
  },
  "called off, it is soon over, says what it cost, and leaves no listener": async (subject) => {
    const { offMs = 100 } = subject;
    for (const after of [0, 40]) {
      const own = trial(subject, { ms: 10_000 });
      const off = new AbortController();
      const decision = decide(own, heard({ model: own.model, talk: "a" }, 8), off.signal);
      own.clock.after(after, () => off.abort());
      const { usage = none } = await own.clock.run(decision);
      assert.ok(own.clock.now() <= after + offMs, `over ${own.clock.now() - after} ms after it was called off`);
      assert.equal(usage.calls, own.model.requests.length, "each call that was begun is counted");
      assert.equal(getEventListeners(off.signal, "abort").length, 0, "no listener is left on the signal");
    }
  },
  "called off before it begins, it asks nobody": async (subject) => {
    const own = trial(subject);
    const decision = await own.clock.run(
      decide(own, heard({ model: own.model, talk: "a" }, 8), AbortSignal.abort("off")),
    );
    assert.equal(own.model.requests.length, 0);
    assert.equal(decision.usage?.calls ?? 0, 0);
  },
  "two conversations do not know of each other": async (subject) => {
    const alone = trial(subject);
    const expected = await alone.clock.run(listenTo(alone, { talk: "a" }, chunks));
    const mixed = trial(subject);
    const decisions: Decision[] = [];
    const both = async () => {
      for (const count of chunks) {
        const [own] = await Promise.all([
          listenTo(mixed, { talk: "a" }, [count]),
          listenTo(mixed, { talk: "b" }, [count, count]),
        ]);
        decisions.push(...own);
      }
    };
    await mixed.clock.run(both());
    assert.deepEqual(decisions.map(judgment), expected.map(judgment));
  },
  "made anew, it decides the same": async (subject) => {
    const [first, second] = [trial(subject), trial(subject)];
    const place = { talk: "a", turn: 2 };
    const decisions = await first.clock.run(listenTo(first, place, chunks));
    assert.deepEqual(await second.clock.run(listenTo(second, place, chunks)), decisions);
  },
  "a model's failure is its failure": async (subject) => {
    const fails = new Error("the model is out of order");
    const own = trial(subject, { fails });
    const work = decide(own, heard({ model: own.model, talk: "a" }, 8));
    const failure = await own.clock.run(
      work.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    if (own.model.requests.length > 0) assert.equal(failure, fails);
    else assert.equal(failure, undefined);
  },
  "what it asks in the listener's session extends what the listener would be sent": async (subject) => {
    if (subject.ownPrompt === true) return;
    const own = trial(subject);
    const hearing = heard({ model: own.model, talk: "a" }, 8);
    await own.clock.run(decide(own, hearing));
    const [system, heardOf] = hearing.messages();
    for (const { messages } of own.model.requests.filter(({ session }) => session === hearing.session)) {
      assert.deepEqual(messages[0], system);
      assert.ok(messages[1]?.content.startsWith(heardOf?.content ?? ""), "the last message stays a prefix");
    }
  },
};

/** Checks a policy against all that the runtime and the evaluation rely on, in virtual time. */
export function policySuite(name: string, subject: PolicySubject): void {
  void describe(name, () => {
    for (const [title, check] of Object.entries(policyCases))
      void test(title, { timeout: 60_000 }, () => check(subject));
  });
}
