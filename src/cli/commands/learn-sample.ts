import { ConfigError } from "../../base/errors.ts";
import type { Hearing } from "../../core/policy.ts";
import { loadTask } from "../../eval/index.ts";
import type { Sample, Split } from "../../eval/index.ts";
import { openPoints, sample } from "../../learn/index.ts";
import type { Sampling } from "../../learn/index.ts";
import { featuresOf } from "../../policies/index.ts";
import type { FeatureName } from "../../policies/index.ts";
import type { Io } from "../io.ts";
import { printable } from "../printable.ts";
import { statusOn } from "../status.ts";
import { openCast } from "./eval-cast.ts";
import type { CastFlags } from "./eval-cast.ts";
import { leftOf } from "./eval-progress.ts";

export type SampleFlags = Omit<CastFlags, "pace"> & {
  readonly out: string;
  readonly split: Split;
  readonly samples: number;
  readonly seed: number;
  readonly chunk: number;
  readonly nodes?: number;
  readonly rollouts: number;
  readonly depth: number;
  readonly branches: number;
  readonly chance: number;
  readonly scheme: "adaptive" | "paper";
  readonly features?: readonly string[];
  readonly temperature: number;
  readonly maxTokens: number;
  readonly concurrency?: number;
  readonly budgetTokens?: number;
};

type Informed = Hearing & { readonly sample?: Sample };

/** What listeners are measured by: all that a model with probabilities shows, unless names are given. */
function measureOf(names: readonly string[] | undefined, samples: readonly Sample[]): Sampling["measure"] {
  if (names?.join() === "none") return undefined;
  const usual: readonly FeatureName[] = ["margin", "entropy", "top1", "mass", "stability", "chunks", "tokens"];
  const features = (names ?? usual) as readonly FeatureName[];
  const lead = samples[0]?.answer.marker;
  const closed = samples.some(({ answer }) => answer.candidates !== undefined);
  const candidates = ({ sample: of }: Informed) => of?.answer.candidates;
  const answer = closed ? { lead, candidates } : { lead };
  try {
    return { features, of: featuresOf({ features, answer }) };
  } catch (error) {
    if (error instanceof ConfigError && error.path === "features")
      throw new ConfigError("--features", error.message.slice("features: ".length), { cause: error });
    throw error;
  }
}

/** `duplex learn sample`. */
export async function actSample(io: Io, spec: string, flags: SampleFlags): Promise<void> {
  const task = await loadTask(spec);
  const { split, seed, chunk, nodes, rollouts, depth, branches, chance, scheme, temperature, maxTokens } = flags;
  const samples = task.samples({ split, size: flags.samples, seed });
  const measure = measureOf(flags.features, samples);
  const cast = await openCast(flags, samples, io);
  try {
    const how = { seed, chunk, depth, branches, chance, scheme, temperature, maxTokens, rollouts, nodes };
    const provenance = {
      speaker: cast.names.speaker,
      listener: cast.names.listener,
      ...how,
      nodes: nodes ?? "all",
      features: measure?.features.join() ?? "none",
    };
    const file = await openPoints(flags.out, provenance);
    const deterministic = temperature === 0 && !cast.virtual && cast.names.speaker === "template";
    const { speaker, listener, virtual } = cast;
    const concurrency = flags.concurrency ?? (cast.remote ? 4 : 1);
    const sampling: Sampling = {
      ...how,
      task,
      samples,
      speaker,
      listener,
      virtual,
      measure,
      provenance,
      deterministic,
      concurrency,
      budget: flags.budgetTokens,
      done: file.keys,
      signal: io.signal,
    };
    try {
      await write(io, sampling, { file, out: flags.out });
    } finally {
      await file.close();
    }
  } finally {
    await cast.opened.close();
  }
}

type Writing = { readonly file: Awaited<ReturnType<typeof openPoints>>; readonly out: string };

async function write(io: Io, sampling: Sampling, { file, out }: Writing): Promise<void> {
  const status = statusOn(io);
  const began = performance.now();
  const all = sampling.samples.length;
  const begun = new Set(file.done.map(({ sample: id }) => id));
  const before = begun.size;
  let added = 0;
  let spent = { generated: 0, replayed: 0 };
  try {
    for await (const each of sample(sampling)) {
      await file.add(each.point);
      added++;
      spent = each.spent;
      begun.add(each.point.sample);
      const left = leftOf(performance.now() - began, Math.max(0, begun.size - before - 1), all - begun.size + 1);
      status.show(`${begun.size} of ${all} samples, ${added} points, ${spent.generated} tokens${left}`);
    }
  } finally {
    status.clear();
    const total = file.done.length + added;
    io.stderr.write(
      `duplex: ${total} decision points in ${printable(out)}, ${added} of them new; ${spent.generated} tokens generated, ${spent.replayed} from memory\n`,
    );
  }
}
