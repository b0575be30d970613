import { createHash } from "node:crypto";
import { ConfigError } from "../../base/errors.ts";
import type { Hearing } from "../../core/policy.ts";
import type { Price } from "../../core/usage.ts";
import { loadTask } from "../../eval/index.ts";
import type { Sample, Split } from "../../eval/index.ts";
import { doubtOf, duplexVersion, openEar, openPoints, sample } from "../../learn/index.ts";
import type { Ear, PointsFile, Sampling, Spent } from "../../learn/index.ts";
import { priceOf } from "../../models/prices.ts";
import { featuresOf, readWeights } from "../../policies/index.ts";
import { featureNames } from "../../policies/index.ts";
import type { FeatureName, Weights } from "../../policies/index.ts";
import type { Io } from "../io.ts";
import { printable } from "../printable.ts";
import { readWeights as readText } from "../policies.ts";
import { statusOn } from "../status.ts";
import { openCast } from "./eval-cast.ts";
import type { Cast, CastFlags } from "./eval-cast.ts";
import { leftOf } from "./eval-progress.ts";

export type SampleFlags = Omit<CastFlags, "pace"> & {
  readonly out: string;
  readonly split: Split;
  readonly samples: number;
  readonly seed: number;
  readonly chunk: number;
  readonly nodes?: number | undefined;
  readonly rollouts: number;
  readonly depth: number;
  readonly branches: number;
  readonly chance: number;
  readonly scheme: "adaptive" | "paper";
  readonly features?: readonly string[] | undefined;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly concurrency?: number | undefined;
  readonly budgetTokens?: number | undefined;
  readonly budgetCost?: number | undefined;
  readonly price?: Price | undefined;
  /** A file of weights. */
  readonly uncertain?: string;
  readonly ear?: string;
  readonly hard?: true | undefined;
};

type Informed = Hearing & { readonly sample?: Sample };

// Asked Yes or No costs a look of its own, and an ear must be there.
const usual: readonly FeatureName[] = featureNames.filter((name) => name !== "logOdds" && name !== "ear");

type Measuring = { readonly names: readonly string[] | undefined; readonly ear: Ear | undefined };

/** What listeners are measured by: all that a model with probabilities shows, unless names are given. */
function measureOf({ names, ear }: Measuring, samples: readonly Sample[]): Sampling["measure"] {
  if (names?.join() === "none") return undefined;
  const features = (names ?? (ear === undefined ? usual : [...usual, "ear"])) as readonly FeatureName[];
  const lead = samples[0]?.answer.marker;
  const closed = samples.some(({ answer }) => answer.candidates !== undefined);
  const candidates = ({ sample: of }: Informed) => of?.answer.candidates;
  const about = ({ sample: of }: Informed) => of?.answer.question;
  // As in evaluations: the lead makes the candidates the natural next words.
  const answer = closed ? { lead, candidates, about, question: "" } : { lead, about };
  try {
    return { features, of: featuresOf({ features, answer, ear: ear?.look }) };
  } catch (error) {
    if (error instanceof ConfigError && error.path === "features")
      throw new ConfigError("--features", error.message.slice("features: ".length), { cause: error });
    throw error;
  }
}

const weightsIn = (file: string | undefined): Weights | undefined =>
  file === undefined ? undefined : readWeights(readText(file), `--uncertain ${file}`);

const digestOf = (weights: Weights): string =>
  createHash("sha256").update(JSON.stringify(weights)).digest("hex").slice(0, 16);

/** `duplex learn sample`. */
export async function actSample(io: Io, spec: string, flags: SampleFlags): Promise<Ended> {
  const weights = weightsIn(flags.uncertain);
  const ear = flags.ear === undefined ? undefined : await openEar(flags.ear);
  try {
    return await sampleWith(io, spec, { flags, weights, ear });
  } finally {
    await ear?.close();
  }
}

type Given = { readonly flags: SampleFlags; readonly weights: Weights | undefined; readonly ear: Ear | undefined };

async function sampleWith(io: Io, spec: string, { flags, weights, ear }: Given): Promise<Ended> {
  const task = await loadTask(spec);
  const { split, seed, chunk, nodes, rollouts, depth, branches, chance, scheme, temperature, maxTokens } = flags;
  const samples = task.samples({ split, size: flags.samples, seed });
  const measure = measureOf({ names: flags.features, ear }, samples);
  const opened = await openCast(flags, samples, io);
  // An ear computes for real, also where everything else is made up: time must pass.
  const cast = ear === undefined ? opened : { ...opened, virtual: false };
  try {
    const how = { seed, chunk, depth, branches, chance, scheme, temperature, maxTokens, rollouts, nodes };
    const provenance = {
      duplex: duplexVersion(),
      speaker: cast.names.speaker,
      listener: cast.names.listener,
      ...how,
      nodes: nodes ?? "all",
      features: measure?.features.join() ?? "none",
      ...(ear === undefined ? {} : { ear: ear.file.sha256 ?? ear.file.gguf }),
      ...(flags.answers === "choose" ? { answers: flags.answers } : {}),
      ...(flags.hard === true ? { hard: true } : {}),
      ...(weights === undefined ? {} : { uncertain: digestOf(weights) }),
    };
    const file = await openPoints(flags.out, provenance);
    const sampling: Sampling = {
      ...how,
      task,
      samples,
      speaker: cast.speaker,
      listener: cast.listener,
      virtual: cast.virtual,
      measure,
      provenance,
      deterministic: temperature === 0 && !cast.virtual && cast.names.speaker === "template",
      concurrency: flags.concurrency ?? (cast.remote ? 4 : 1),
      hard: flags.hard,
      doubt: weights === undefined ? undefined : doubtOf(weights),
      ...budgetOf(flags, cast),
      spentBefore: file.took,
      done: file.keys,
      signal: io.signal,
    };
    try {
      return await write(io, sampling, { file, out: flags.out });
    } finally {
      await file.close();
    }
  } finally {
    await opened.opened.close();
  }
}

/** Throws a ConfigError for a budget of money where a price is not known. */
function budgetOf({ budgetTokens, budgetCost, price }: SampleFlags, { names, opened }: Cast) {
  const priced = (id: string) => (id === "template" ? undefined : (price ?? priceOf(opened.specOf(id) ?? id)));
  const unpriced = [names.speaker, names.listener].find((spec) => spec !== "template" && priceOf(spec) === undefined);
  if (budgetCost !== undefined && price === undefined && unpriced !== undefined)
    throw new ConfigError("--budget-cost", `no price of ${unpriced} is known; give --price`);
  return { budget: budgetTokens, budgetAmount: budgetCost, priceOf: priced };
}

/** Whether all was sampled, or the budget ended it; and what it took, with what was there before. */
export type Ended = { readonly points: number; readonly whole: boolean; readonly took: PointsFile["took"] };

type Writing = { readonly file: PointsFile; readonly out: string };

/** What is left of a budget, in words. */
function leftOfBudget({ budget, budgetAmount, spentBefore }: Sampling, spent: Spent): string {
  const { generated = 0, amount = 0 } = spentBefore ?? {};
  if (budgetAmount !== undefined) return `, ${Math.max(0, budgetAmount - amount - spent.amount).toPrecision(3)} left`;
  return budget === undefined ? "" : `, ${Math.max(0, budget - generated - spent.generated)} tokens left`;
}

const percent = (some: number, all: number): string => ((100 * some) / all).toFixed(1);

/** What sampling came to, in a line. */
function said(
  io: Io,
  { file, out }: Writing,
  { added, spent, virtual }: { added: number; spent: Spent; virtual: boolean },
) {
  const { generated, replayed, evaluated, again, amount } = spent;
  // Each conversation has simulated listeners of its own, whose caches are of no one's concern.
  const twice = evaluated > 0 && !virtual ? `, ${percent(again, evaluated)} % of ${evaluated} read twice` : "";
  const paid = amount > 0 ? `, ${amount.toPrecision(3)} spent` : "";
  io.stderr.write(
    `duplex: ${file.done.length + added} decision points in ${printable(out)}, ${added} of them new; ${generated} tokens generated, ${replayed} from memory${twice}${paid}\n`,
  );
}

async function write(io: Io, sampling: Sampling, writing: Writing): Promise<Ended> {
  const { file } = writing;
  const status = statusOn(io);
  const began = performance.now();
  const all = sampling.samples.length;
  const begun = new Set(file.done.map(({ sample: id }) => id));
  const before = begun.size;
  let added = 0;
  let spent: Spent = { generated: 0, replayed: 0, evaluated: 0, again: 0, amount: 0 };
  const playing = sample(sampling);
  try {
    for (;;) {
      const next = await playing.next();
      spent = next.value.spent;
      if (next.done === true) {
        const took = { generated: file.took.generated + spent.generated, amount: file.took.amount + spent.amount };
        return { points: file.done.length + added, whole: next.value.whole, took };
      }
      const { point, took } = next.value;
      await file.add({ ...point, took: { generated: took.generated, amount: took.amount } });
      added++;
      begun.add(point.sample);
      const left = leftOf(performance.now() - began, Math.max(0, begun.size - before - 1), all - begun.size + 1);
      const budget = leftOfBudget(sampling, spent);
      status.show(`${begun.size} of ${all} samples, ${added} points, ${spent.generated} tokens${budget}${left}`);
    }
  } finally {
    await playing.return({ spent, whole: false });
    status.clear();
    said(io, writing, { added, spent, virtual: sampling.virtual === true });
  }
}
