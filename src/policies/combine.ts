// Policies made of policies. Each asks the next only where that can change the decision, and adds up what was asked.

import { ConfigError } from "../base/errors.ts";
import type { Decision, Hearing, Policy } from "../core/policy.ts";
import type { Usage } from "../core/types.ts";
import { add } from "../core/usage.ts";
import { checkCount } from "./fixed.ts";
import { listenerKey, Memory, turnKey } from "./memory.ts";

type Decide = NonNullable<Policy["decide"]>;

const wait: Decision = { advantage: 0 };

/** Goes on at once where it can: an instant policy costs no promise. */
const then = <A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> =>
  value instanceof Promise ? value.then(next) : next(value);

const notesOf = (policies: readonly Policy[]) => {
  const notes = [...new Set(policies.flatMap(({ speakerNote }) => speakerNote ?? []))];
  return notes.length > 0 ? { speakerNote: notes.join("\n") } : {};
};

const sumOf = (a: Usage | undefined, b: Usage | undefined): Usage | undefined =>
  a === undefined || b === undefined ? (a ?? b) : add(a, b);

/** The decision that counts, with the usage and notes of both. */
function both(before: Decision | undefined, now: Decision, later: boolean): Decision {
  if (before === undefined) return now;
  const { advantage, probability } = later ? now : before;
  const note = [before.note, now.note].filter((one) => one !== undefined && one !== "").join("; ");
  return { advantage, probability, usage: sumOf(before.usage, now.usage), note: note === "" ? undefined : note };
}

type Rule = {
  /** Whether nobody further needs to be asked. */
  readonly settled: (decision: Decision) => boolean;
  /** Whether the second counts rather than the first. */
  readonly over: (now: Decision, before: Decision) => boolean;
};

function inTurn(deciders: readonly Decide[], { settled, over }: Rule): Decide {
  return (hearing, signal) => {
    const ask = (index: number, before: Decision | undefined): Decision | Promise<Decision> => {
      const decide = deciders[index];
      if (decide === undefined || (before !== undefined && signal.aborted)) return before ?? wait;
      return then(decide(hearing, signal), (now) => {
        const decision = both(before, now, before === undefined || over(now, before));
        return settled(now) ? decision : ask(index + 1, decision);
      });
    };
    return ask(0, undefined);
  };
}

function someOf(name: string, policies: readonly Policy[]): void {
  if (policies.length === 0) throw new ConfigError(name, "needs at least one policy");
}

/** Cuts when any of them would. Asked in order up to the first that cuts, so put the cheap ones first. */
export function any(...policies: readonly Policy[]): Policy {
  someOf("any", policies);
  const name = policies.map((policy) => policy.name).join("+");
  const deciders = policies.flatMap(({ decide }) => decide ?? []);
  if (deciders.length === 0) return { name, ...notesOf(policies) };
  const rule: Rule = {
    settled: ({ advantage }) => advantage > 0,
    over: (now, before) => now.advantage > before.advantage,
  };
  return { name, ...notesOf(policies), decide: inTurn(deciders, rule) };
}

/** Cuts when all of them would. Asked in order up to the first that waits; one that never cuts makes all wait, unasked. */
export function all(...policies: readonly Policy[]): Policy {
  someOf("all", policies);
  const name = `all(${policies.map((policy) => policy.name).join(",")})`;
  const deciders = policies.flatMap(({ decide }) => decide ?? []);
  if (deciders.length < policies.length) return { name, ...notesOf(policies) };
  const rule: Rule = {
    settled: ({ advantage }) => !(advantage > 0),
    over: (now, before) => !(now.advantage >= before.advantage),
  };
  return { name, ...notesOf(policies), decide: inTurn(deciders, rule) };
}

/** A policy around another's decide; what never decides stays as it is. */
function around(policy: Policy, name: string, make: (decide: Decide) => Decide): Policy {
  const { decide } = policy;
  return decide === undefined ? { ...policy, name } : { ...policy, name, decide: make(decide) };
}

/** Waits, without asking, until `n` chunks of the turn have been heard. */
export function minChunks(n: number, policy: Policy): Policy {
  checkCount("n", n);
  return around(
    policy,
    `min:${n}(${policy.name})`,
    (decide) => (hearing, signal) => (hearing.chunks < n ? wait : decide(hearing, signal)),
  );
}

/** Asks only after every `n` chunks of a turn. */
export function every(n: number, policy: Policy): Policy {
  checkCount("n", n);
  return around(policy, `every:${n}(${policy.name})`, (decide) => {
    const asked = new Memory(() => ({ chunks: 0 }));
    return (hearing, signal) => {
      const last = asked.of(turnKey(hearing));
      if (hearing.chunks - last.chunks < n) return wait;
      last.chunks = hearing.chunks;
      return decide(hearing, signal);
    };
  });
}

/** What a listener's decisions may take. */
export type Budget = {
  /** How often a listener may ask in a run. */
  readonly decisions?: number | undefined;
  /** Tokens a listener's decisions may take in a run: generated ones, and prompt tokens that no cache had. */
  readonly tokens?: number | undefined;
};

const tokensOf = ({ usage }: Decision): number =>
  usage === undefined ? 0 : usage.inputTokens - usage.cachedTokens + usage.outputTokens;

/** Waits, without asking, once a listener has used up its budget in a run; the decision that goes beyond it still counts. */
export function budget({ decisions = Infinity, tokens = Infinity }: Budget, policy: Policy): Policy {
  if (decisions !== Infinity) checkCount("decisions", decisions, 0);
  if (tokens !== Infinity) checkCount("tokens", tokens, 0);
  if (decisions === Infinity && tokens === Infinity)
    throw new ConfigError("budget", "gives no limit; give decisions, tokens or both");
  return around(policy, `budget(${policy.name})`, (decide) => {
    const spent = new Memory(() => ({ decisions: 0, tokens: 0 }));
    return (hearing, signal) => {
      const own = spent.of(listenerKey(hearing));
      if (own.decisions >= decisions || own.tokens >= tokens) return { ...wait, note: "budget used up" };
      own.decisions++;
      return then(decide(hearing, signal), (decision) => {
        own.tokens += tokensOf(decision);
        return decision;
      });
    };
  });
}

/** Since a listener last cut in: where that was, and the chunks heard of each turn. */
type Cooling = { readonly turn: string; readonly chunks: number; readonly heard: Map<string, number> };

function heardSince({ turn, chunks, heard }: Cooling, hearing: Hearing): number {
  const key = turnKey(hearing);
  heard.set(key, hearing.chunks - (key === turn ? chunks : 0));
  return [...heard.values()].reduce((sum, count) => sum + count, 0);
}

/** After a decision to cut, lets the next `chunks` that the listener hears pass unasked, of whatever turns they are. */
export function cooldown(chunks: number, policy: Policy): Policy {
  checkCount("chunks", chunks);
  return around(policy, `cooldown:${chunks}(${policy.name})`, (decide) => {
    const states = new Memory<{ cooling: Cooling | undefined }>(() => ({ cooling: undefined }));
    return (hearing, signal) => {
      const state = states.of(listenerKey(hearing));
      if (state.cooling !== undefined && heardSince(state.cooling, hearing) <= chunks) return wait;
      state.cooling = undefined;
      return then(decide(hearing, signal), (decision) => {
        if (decision.advantage > 0)
          state.cooling = { turn: turnKey(hearing), chunks: hearing.chunks, heard: new Map() };
        return decision;
      });
    };
  });
}
