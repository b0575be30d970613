// What went wrong with a policy, message by message, so that a person can read it.

import { heardEnough } from "../eval/index.ts";
import type { Result, Sample } from "../eval/index.ts";

/**
 * `mid-word`: the cut fell inside a word. `chunk boundary`: what was needed had been begun and was not out yet. `floor given
 * back`: the listener cut in and had nothing to say. `too early`: what was needed had not come yet. `wrong answer`: enough had
 * been heard. `too late`: the best cut in hindsight was earlier.
 */
export const mishapKinds = [
  "mid-word",
  "chunk boundary",
  "floor given back",
  "too early",
  "wrong answer",
  "too late",
] as const;

/** One of `mishapKinds`. */
export type MishapKind = (typeof mishapKinds)[number];

/** Something that went wrong in a conversation, and what had been heard by then. */
export type Mishap = {
  readonly kind: MishapKind;
  readonly policy: string;
  readonly sample: string;
  /** What was heard of the message; absent where nobody kept it. */
  readonly heard?: string | undefined;
  /** How the message would have gone on, where that is known. */
  readonly next?: string | undefined;
  readonly answer?: string | undefined;
  readonly right?: string | undefined;
  /** Chunks heard, and those that the best cut in hindsight takes. */
  readonly chunk?: number | undefined;
  readonly best?: number | undefined;
};

/** A result with what was heard up to its first cut, where it was kept. */
export type KeptResult = Result & { readonly heard?: string | undefined };

type Scene = { readonly result: KeptResult; readonly sample: Sample; readonly oracle: Result | undefined };

const isWordy = (letter: string | undefined): boolean => letter !== undefined && /[\p{L}\p{N}]/u.test(letter);

/** What was heard of the message that was cut, and how it would have gone on. */
function textsOf({ result, sample }: Scene): {
  readonly heard?: string | undefined;
  readonly next?: string | undefined;
} {
  const [cut] = result.cuts;
  const says = sample.roles.find(({ id }) => id === cut?.speaker)?.says;
  if (says === undefined || cut?.share === undefined) return { heard: result.heard };
  const end = Math.round(cut.share * says.length);
  return { heard: says.slice(0, end), next: says.slice(end) };
}

/** Whether the text ends with a beginning of what is needed, a whole word of it at least. */
function isBegun(heard: string, { enough = [] }: Sample): boolean {
  const tail = heard.trimEnd();
  return enough.flat().some(({ said }) => {
    const words = said.split(" ");
    return words.slice(1).some((_, index) => tail.endsWith(words.slice(0, index + 1).join(" ")));
  });
}

/** What is wrong with a cut that came before enough was heard. */
function earlyKind(scene: Scene): MishapKind {
  const { heard, next } = textsOf(scene);
  if (heard === undefined) return "too early";
  if (isWordy(heard.at(-1)) && isWordy(next?.[0])) return "mid-word";
  return isBegun(heard, scene.sample) ? "chunk boundary" : "too early";
}

function kindOf(scene: Scene): MishapKind | undefined {
  const { result, oracle } = scene;
  const [cut] = result.cuts;
  if (cut?.wrong === "floor") return "floor given back";
  if (cut?.wrong === "early") return earlyKind(scene);
  if (cut?.wrong === "answer") return notEnough(scene) ? earlyKind(scene) : "wrong answer";
  const best = oracle?.success === 1 ? oracle.cuts[0]?.chunk : undefined;
  return best !== undefined && best < (cut?.chunk ?? Infinity) ? "too late" : undefined;
}

function notEnough(scene: Scene): boolean {
  const { heard } = textsOf(scene);
  const speaker = scene.result.cuts[0]?.speaker ?? "";
  return heard !== undefined && heardEnough([{ agent: speaker, text: heard }], scene.sample) === false;
}

/** What went wrong in each conversation; those where nothing did are left out, and so are `never` and `oracle`. */
export function mishapsOf(results: readonly KeptResult[], samples: readonly Sample[]): Mishap[] {
  const byId = new Map(samples.map((sample) => [sample.id, sample]));
  const key = ({ sample, repeat }: Result) => `${sample} ${repeat}`;
  const oracles = new Map(results.filter(({ policy }) => policy === "oracle").map((each) => [key(each), each]));
  return results.flatMap((result): Mishap[] => {
    const sample = byId.get(result.sample);
    if (sample === undefined || result.failure !== undefined) return [];
    if (result.policy === "never" || result.policy === "oracle") return [];
    const scene = { result, sample, oracle: oracles.get(key(result)) };
    const kind = kindOf(scene);
    if (kind === undefined) return [];
    return [
      {
        kind,
        policy: result.policy,
        sample: result.sample,
        ...textsOf(scene),
        answer: result.answer,
        right: sample.answer.right[0],
        chunk: result.cuts[0]?.chunk,
        best: scene.oracle?.cuts[0]?.chunk,
      },
    ];
  });
}
