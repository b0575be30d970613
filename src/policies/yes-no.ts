import { ConfigError } from "../base/errors.ts";
import type { Decision, Hearing, Policy } from "../core/policy.ts";
import type { Choice, Message, Model, Usage } from "../core/types.ts";
import { add, none } from "../core/usage.ts";
import { asking, calledOff, checkChooses, look } from "./ask.ts";
import { checkNumber } from "./fixed.ts";
import { enoughQuestion } from "./prompted.ts";

/** How Yes and No are asked for, and how far apart they must be. */
export type YesNoOptions = {
  /** Log-odds of Yes against No above which it cuts; 0. */
  readonly threshold?: number | undefined;
  /** Another model than the listener's own. */
  readonly model?: Model | undefined;
  /** The words for yes and no. */
  readonly verbalizers?: readonly [yes: string, no: string] | undefined;
  /** What is asked after what was heard. */
  readonly question?: string | undefined;
  /** How the model's reply begins, before the word is looked for. */
  readonly lead?: string | undefined;
  /** Probability that both words together need to count as an answer; 0.01. */
  readonly leastMass?: number | undefined;
  /** The whole prompt, in place of the listener's messages and the question: for models tuned on another form. */
  readonly prompt?: ((hearing: Hearing) => readonly Message[]) | undefined;
};

/** What a look at Yes and No showed. `logOdds` is undefined where the model says neither, or the look was called off. */
export type YesNoLook = {
  readonly logOdds: number | undefined;
  readonly usage: Usage;
  readonly note?: string | undefined;
};

// Keeps log-odds finite: less than any probability a model shows.
const floor = 1e-9;

/** Checks that a model tells the two words apart, by one short call; the usage of it. */
async function checkVerbalizers(
  model: Model,
  [yes, no]: readonly [string, string],
  signal: AbortSignal,
): Promise<{ readonly usage: Usage; readonly done: boolean }> {
  const messages: readonly Message[] = [{ role: "user", content: `Reply with one word, ${yes} or ${no}.` }];
  const { choice, usage } = await look(model, { messages, options: [yes, no], signal });
  if (choice === undefined) return { usage, done: false };
  const [first = 0, second = 0] = choice.probabilities;
  const place = `verbalizers of ${model.id}`;
  if (first === second && first > 0)
    throw new ConfigError(
      place,
      `"${yes}" and "${no}" always get the same probability; give words that begin differently`,
    );
  for (const [word, probability] of [[yes, first] as const, [no, second] as const])
    if (!(probability > 0))
      throw new ConfigError(place, `"${word}" gets no probability even where asked for; give a word of one token`);
  return { usage, done: true };
}

/** Models whose verbalizers were checked; what was wrong with them, or undefined. */
type Checked = WeakMap<Model, Error | undefined>;

async function checkOnce(
  checked: Checked,
  [model, words]: readonly [Model, readonly [string, string]],
  signal: AbortSignal,
): Promise<Usage> {
  const wrong = checked.get(model);
  if (wrong !== undefined) throw wrong;
  if (checked.has(model)) return none;
  try {
    const { usage, done } = await checkVerbalizers(model, words, signal);
    if (done) checked.set(model, undefined);
    return usage;
  } catch (error) {
    // What was wrong with the connection may be right next time.
    if (error instanceof ConfigError) checked.set(model, error);
    throw error;
  }
}

function oddsOf({ probabilities, top }: Choice, leastMass: number): Omit<YesNoLook, "usage"> {
  const [yes = 0, no = 0] = probabilities;
  if (yes + no < leastMass) {
    const instead = top === undefined ? "" : `: ${JSON.stringify(top.text)}`;
    return { logOdds: undefined, note: `neither${instead}` };
  }
  return { logOdds: Math.log((yes + floor) / (no + floor)) };
}

/** Makes a look at the log-odds of Yes; the first look at a model checks the words. Throws ConfigErrors for bad options. */
export function yesNoLook(options: YesNoOptions): (hearing: Hearing, signal: AbortSignal) => Promise<YesNoLook> {
  const { verbalizers = ["Yes", "No"], leastMass = 0.01, lead } = options;
  const [yes, no] = verbalizers;
  if (yes.trim() === "" || no.trim() === "" || yes.trim() === no.trim())
    throw new ConfigError("verbalizers", `"${yes}" and "${no}" must be two different words`);
  if (options.model !== undefined) checkChooses(options.model);
  const question = options.question ?? enoughQuestion(verbalizers);
  const checked: Checked = new WeakMap();
  return async (hearing, signal) => {
    const model = options.model ?? hearing.model;
    const before = await checkOnce(checked, [model, verbalizers], signal);
    const messages = options.prompt?.(hearing) ?? asking(hearing, { question, lead }, model);
    const seen = await look(model, { messages, options: verbalizers, session: hearing.session, signal });
    const usage = add(before, seen.usage);
    if (seen.choice === undefined) return { logOdds: undefined, usage, note: calledOff };
    return { ...oddsOf(seen.choice, leastMass), usage };
  };
}

/** The probability of given log-odds. */
export const probabilityOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

/**
 * Cuts when the log-odds of Yes against No, read off one forward pass (or one token with logprobs), are above the threshold.
 * What is neither means wait. On small untuned models worth nothing, whatever the threshold; see `ownAnswer`.
 */
export function yesNo(options: YesNoOptions = {}): Policy {
  const threshold = checkNumber("threshold", options.threshold ?? 0);
  const ask = yesNoLook(options);
  const decide = async (hearing: Hearing, signal: AbortSignal): Promise<Decision> => {
    const { logOdds, usage, note } = await ask(hearing, signal);
    if (logOdds === undefined) return { advantage: 0, usage, note };
    return { advantage: logOdds - threshold, probability: probabilityOf(logOdds), usage };
  };
  return { name: `yesno:${threshold}`, decide };
}

/** The Yes or No of a model that was tuned to listen; `options` as it was tuned. */
export function finetuned(model: Model, options: Omit<YesNoOptions, "model"> = {}): Policy {
  return { ...yesNo({ ...options, model }), name: `finetuned:${model.id}` };
}
