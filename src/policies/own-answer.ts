import { ConfigError, ModelError } from "../base/errors.ts";
import type { Decision, Hearing, Policy } from "../core/policy.ts";
import type { Choice, Model, Usage } from "../core/types.ts";
import { asking, askingApart, heardOfMessage, calledOff, checkChooses, look } from "./ask.ts";
import type { Question } from "./ask.ts";
import { checkCount, checkNumber } from "./fixed.ts";
import { Memory, turnKey } from "./memory.ts";

/** The answers there are to choose from, fixed or by hearing; undefined where the answer is open. */
export type Candidates = readonly string[] | ((hearing: Hearing) => readonly string[] | undefined);

/** How a listener is asked for its own answer. */
export type AnswerOptions = {
  /** Absent: the answer is open, and only the model's next token is looked at. */
  readonly candidates?: Candidates | undefined;
  /** Another model than the listener's own. */
  readonly model?: Model | undefined;
  /** What is asked after what was heard; empty where the listener's instructions and the lead say enough. */
  readonly question?: string | undefined;
  /**
   * The question to be answered, where it is known: it is then asked about what was heard of this turn alone, in a context of
   * its own, with "unknown" among the answers. A small model that has its part to play and a form to keep beside it is far
   * less sure of what it has heard.
   */
  readonly about?: string | ((hearing: Hearing) => string | undefined) | undefined;
  /** How the listener's answer begins: `Answer:`. */
  readonly lead?: string | undefined;
  /** Probability that the candidates together need to count as an answer; 0.01. */
  readonly leastMass?: number | undefined;
};

/** What the listener's own answer looks like so far. Shares are of the mass on the candidates. */
export type AnswerLook = {
  readonly usage: Usage;
  readonly note?: string | undefined;
  /** Asked of what was heard alone. */
  readonly apart: boolean;
  /** Undefined where the look was called off or the model answers with none of the candidates. */
  readonly features?: AnswerFeatures | undefined;
};

/** How sure the listener is of its answer. */
export type AnswerFeatures = {
  /** The candidate (or, where the answer is open, the token) that is likeliest. */
  readonly best: string;
  /** Of the best candidate (or token), as the model's next words; 0 where the best is "unknown". */
  readonly probability: number;
  /** Share of the best candidate less that of the second; 0 where the answer is open. */
  readonly margin: number;
  /** Entropy over the candidates' shares in nats; over the next token where the answer is open. */
  readonly entropy: number;
  /** Probability of the likeliest next token. */
  readonly top1: number;
  /** Probability of all candidates together; where the answer is open, that of anything but "unknown". */
  readonly mass: number;
  /** Looks in a row, this one included, with the same best. */
  readonly stability: number;
};

const unknown = "unknown";

type Read = Omit<AnswerFeatures, "stability">;

const nobody = { text: "", share: 0 };

/** Features of a choice among candidates; undefined where too little probability is on them. */
export function readCandidates(choice: Choice, candidates: readonly string[], leastMass: number): Read | undefined {
  const mass = choice.probabilities.reduce((total, p) => total + p, 0);
  if (!(mass > 0) || mass < leastMass) return undefined;
  const ranked = candidates
    .map((text, index) => ({ text, share: (choice.probabilities[index] ?? 0) / mass }))
    .toSorted((a, b) => b.share - a.share);
  const [first = nobody, second = nobody] = ranked;
  const entropy = ranked.reduce((total, { share }) => (share > 0 ? total - share * Math.log(share) : total), 0);
  // To be sure that nothing is known is not to be sure of an answer.
  const known = first.text === unknown ? 0 : 1;
  return {
    best: first.text,
    probability: known * first.share * Math.min(1, mass),
    margin: known * (first.share - second.share),
    entropy,
    top1: choice.top?.probability ?? Math.max(...choice.probabilities),
    mass: Math.min(1, mass),
  };
}

/** Features of the next token of an open answer. */
function readOpen({ probabilities, entropy, top }: Choice, model: Model): Read {
  if (entropy === undefined || top === undefined)
    throw new ModelError(`${model.id} shows neither its likeliest token nor an entropy; give candidates`, {
      model: model.id,
    });
  const [held = 0] = probabilities;
  // Where "unknown" is likeliest there is no answer to be sure of.
  const top1 = held >= top.probability ? 0 : top.probability;
  return { best: top.text, probability: top1, margin: 0, entropy, top1, mass: Math.max(0, 1 - held) };
}

function checkCandidates(candidates: readonly string[]): readonly string[] {
  if (candidates.length < 2)
    throw new ConfigError("candidates", `${candidates.length} given; give at least two, or none for an open answer`);
  return candidates;
}

const openQuestion = `(Your answer so far? If not known yet: ${unknown}.)`;
const closedQuestion = "(Your answer so far?)";

type Inquiry = {
  readonly options: AnswerOptions & { readonly lead: string };
  /** The answers to choose from, where there are some. */
  readonly closed: readonly string[] | undefined;
  readonly model: Model;
};

/** What the model is asked, in which session, and the answers whose probabilities are wanted. */
function inquiry(hearing: Hearing, { options, closed, model }: Inquiry) {
  const { lead } = options;
  const about = typeof options.about === "function" ? options.about(hearing) : options.about;
  if (about !== undefined)
    return {
      apart: true,
      messages: askingApart({ text: heardOfMessage(hearing), about, lead: model.continues === true ? lead : "" }),
      answers: closed === undefined ? [unknown] : [...closed, unknown],
      session: `${hearing.session}/about`,
    };
  const asked: Question = {
    question: options.question ?? (closed === undefined ? openQuestion : closedQuestion),
    lead,
  };
  return {
    apart: false,
    messages: asking(hearing, asked, model),
    answers: closed ?? [unknown],
    session: hearing.session,
  };
}

/** Makes a look at the listener's own answer so far. Throws ConfigErrors for bad options. */
export function answerLook(options: AnswerOptions): (hearing: Hearing, signal: AbortSignal) => Promise<AnswerLook> {
  const { candidates, lead = "Answer:", leastMass = 0.01 } = options;
  if (options.model !== undefined) checkChooses(options.model);
  if (Array.isArray(candidates)) checkCandidates(candidates);
  const bests = new Memory(() => ({ best: "", looks: 0 }));
  return async (hearing, signal) => {
    const model = options.model ?? hearing.model;
    const given = typeof candidates === "function" ? candidates(hearing) : candidates;
    const closed = given === undefined ? undefined : checkCandidates(given);
    const { apart, messages, answers, session } = inquiry(hearing, { options: { ...options, lead }, closed, model });
    const { choice, usage } = await look(model, { messages, options: answers, session, signal });
    if (choice === undefined) return { apart, usage, note: calledOff };
    const read = closed === undefined ? readOpen(choice, model) : readCandidates(choice, answers, leastMass);
    const streak = bests.of(turnKey(hearing));
    if (read === undefined) {
      streak.looks = 0;
      return { apart, usage, note: `neither${choice.top === undefined ? "" : `: ${JSON.stringify(choice.top.text)}`}` };
    }
    streak.looks = streak.best === read.best ? streak.looks + 1 : 1;
    streak.best = read.best;
    return { apart, usage, features: { ...read, stability: streak.looks } };
  };
}

/** What `ownAnswer` can go by. */
export type Measure = "probability" | "margin" | "top1" | "entropy" | "mass";

/** How sure of its own answer a listener must be to cut in. */
export type OwnAnswerOptions = AnswerOptions & {
  /** In the unit of the measure: nats for entropy, else a probability. */
  readonly threshold: number;
  /** Default: with candidates `probability` where the question is asked apart (`about`) and `margin` where not; else `top1`. */
  readonly measure?: Measure | undefined;
  /** How many looks in a row must show the same answer; 1. */
  readonly stable?: number | undefined;
};

/**
 * Cuts when the listener is sure of its own answer: the measure is above the threshold (entropy: below) and the answer has
 * stayed the same for `stable` looks. The strongest signal there is without training.
 */
export function ownAnswer(options: OwnAnswerOptions): Policy {
  const threshold = checkNumber("threshold", options.threshold);
  const stable = checkCount("stable", options.stable ?? 1);
  const ask = answerLook(options);
  const decide = async (hearing: Hearing, signal: AbortSignal): Promise<Decision> => {
    const { apart, usage, note, features } = await ask(hearing, signal);
    if (features === undefined) return { advantage: 0, usage, note };
    const usual = apart ? "probability" : "margin";
    const measure = options.measure ?? (options.candidates === undefined ? "top1" : usual);
    const sure = measure === "entropy" ? threshold - features.entropy : features[measure] - threshold;
    const shown = JSON.stringify(features.best);
    // However sure it is that it knows nothing.
    if (features.best === unknown) return { advantage: Math.min(0, sure), usage, note: shown };
    if (features.stability >= stable || sure <= 0) return { advantage: sure, usage, note: shown };
    return { advantage: 0, usage, note: `${shown}, ${features.stability} of ${stable} looks` };
  };
  return { name: `own:${threshold}`, decide };
}
