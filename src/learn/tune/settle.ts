// What a tuning begins and ends with, whoever trains: a folder of its own, examples, the threshold, and the file that says it all.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "../../base/errors.ts";
import { auc } from "../../base/stats.ts";
import { openFolder } from "../../models/store/folder.ts";
import { calibrationOf } from "../calibration.ts";
import type { Calibration } from "../calibration.ts";
import { chooseRule, coursesOf } from "../course.ts";
import type { ChosenRule } from "../course.ts";
import type { Label } from "../label.ts";
import { logistic } from "../logistic.ts";
import { checkApart, keyOf } from "../points.ts";
import { balanced, checkClasses, examplesOf, heldBack } from "./examples.ts";
import type { Asking, Example } from "./examples.ts";
import { writeWhole } from "./gguf-file.ts";
import type { Judged } from "./judge.ts";

/** What of the labels is trained on, and what is held out. */
export type DataOptions = {
  /** Labels of points to choose the threshold on; default: a fifth of the samples, which are not trained on. */
  readonly dev?: readonly Label[] | undefined;
  /** Leave out examples of the larger class until both are equally many. */
  readonly balance?: boolean | undefined;
  readonly seed: number;
};

/** Labels as they are used: examples to train on, examples held out, and the points that the threshold is chosen on. */
export type Data = {
  readonly train: readonly Example[];
  readonly held: readonly Example[];
  /** All points of the held-out messages, undecided ones too. */
  readonly judged: readonly Label[];
};

/** Examples to train on and to hold out. Throws a ConfigError for labels that cannot be learned from. */
export function dataOf(labels: readonly Label[], asking: Asking, { dev, balance = false, seed }: DataOptions): Data {
  const all = examplesOf(labels, asking);
  checkClasses(all, "labels");
  if (dev !== undefined)
    checkApart(
      labels.map(({ point }) => point),
      dev.map(({ point }) => point),
      "--dev",
    );
  const { train, held } = dev === undefined ? heldBack(all, 0.2, seed) : { train: all, held: examplesOf(dev, asking) };
  checkClasses(train, "labels to train on");
  checkClasses(held, dev === undefined ? "labels held out" : "--dev");
  const groups = new Set(held.map(({ group }) => group));
  const judged = dev ?? labels.filter(({ point }) => groups.has(`${point.task} ${point.sample}`));
  return { train: balance ? balanced(train, seed) : train, held, judged };
}

const digestOf = (lines: readonly string[]): string =>
  createHash("sha256")
    .update(lines.map((line) => `${line}\n`).join(""))
    .digest("hex")
    .slice(0, 16);

/** A short name for what was learned from. */
const labelsDigest = (labels: readonly Label[]): string =>
  digestOf(
    labels.map(
      ({ point, label, undecided }) => `${point.task} ${keyOf(point)} ${undecided ? "-" : label} ${point.text}`,
    ),
  );

export type Identity = Readonly<Record<string, string | number | boolean | null>>;

// Folders of before do not say how the listener is asked.
const asBefore: Identity = { ask: "within", about: null };

/** What must be the same for a tuning to be gone on with, whoever trains; `about`: the questions, where listeners are told them. */
export function identityOf(labels: readonly Label[], asking: Asking, { dev, balance = false, seed }: DataOptions) {
  const { ask = "within", question, words } = asking;
  const abouts = [...labels, ...(dev ?? [])].map(({ point }) => point.about ?? "");
  return {
    labels: labelsDigest(labels),
    dev: dev === undefined ? null : labelsDigest(dev),
    ask,
    about: ask === "apart" ? digestOf(abouts) : null,
    question,
    words: words.join(),
    seed,
    balance,
  };
}

const journal = "tune.json";

/**
 * Takes a folder for one tuning, or goes on with the one in it. Rejects with a ConfigError that names what differs, and for a folder
 * that cannot be made or holds anything else.
 */
export async function claim(folder: string, identity: Identity): Promise<void> {
  const path = join(folder, journal);
  await openFolder(folder, { place: folder, what: "tuning", journal });
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return writeWhole(path, `${JSON.stringify(identity, undefined, 2)}\n`);
  let before: Identity;
  try {
    before = JSON.parse(text) as Identity;
  } catch (cause) {
    throw new ConfigError(path, "is damaged; choose another folder", { cause });
  }
  const all = [...new Set([...Object.keys(before), ...Object.keys(identity)])];
  const was = (name: string) => (Object.hasOwn(before, name) ? before[name] : asBefore[name]);
  const differing = all.filter((name) => was(name) !== identity[name]);
  if (differing.length === 0) return;
  const show = (value: Identity[string] | undefined) => JSON.stringify(value ?? null);
  const told = differing.map((name) => `${name} ${show(was(name))}, now ${show(identity[name])}`);
  throw new ConfigError(
    folder,
    `holds a tuning of other settings (${told.join("; ")}); use them again, or choose another folder`,
  );
}

/** How the threshold is chosen. */
export type RuleChoice = {
  /** How much success may be lost against hearing everything, as a share; default 0.01. */
  readonly maxLoss?: number | undefined;
  /** Tokens that one decision costs; default 1. */
  readonly lookCost?: number | undefined;
  /** Tokens that one success is worth when thresholds within the bound are compared; default 0: the cheapest wins. */
  readonly worth?: number | undefined;
};

/** How well a listener tells on what was held out, and when it should cut. */
export type Verdict = {
  readonly rule: ChosenRule;
  /** Of single decisions that are decided. */
  readonly auc: number;
  readonly points: number;
  readonly calibration: Calibration;
};

/** Judges what was said to held-out points, in their order. */
export function verdictOf(held: readonly Label[], judged: readonly Judged[], choice: RuleChoice): Verdict {
  const { maxLoss, lookCost = 1, worth } = choice;
  const odds = judged.map(({ logOdds }) => logOdds);
  const points = held.map(({ point }) => point);
  const rule = chooseRule(coursesOf(points, odds), { maxLoss, lookCost, worth });
  const decided = held.flatMap(({ label, undecided }, index) => (undecided ? [] : [{ label, odds: odds[index]! }]));
  const of = (wanted: 0 | 1) => decided.filter(({ label }) => label === wanted).map((each) => each.odds);
  const calibration = calibrationOf(
    decided.map((each) => logistic(each.odds)),
    decided.map(({ label }) => label),
  );
  return { rule, auc: auc(of(1), of(0)), points: decided.length, calibration };
}

/** What a file says of its making. */
export const saidOf = ({ rule, auc: area, points, calibration }: Verdict): Readonly<Record<string, unknown>> => ({
  heldPoints: points,
  auc: area,
  brier: calibration.brier,
  ece: calibration.ece,
  success: { full: rule.full.success, cut: rule.played.success },
  saved: rule.played.saved,
});
