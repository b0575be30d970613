// The benchmarks of `duplex experiment`, by their names.

import { ConfigError } from "../../base/errors.ts";
import type { Model } from "../../core/types.ts";
import { benchmarkNames, loadBenchmark } from "../../eval/benchmarks/index.ts";
import { priceOf } from "../../models/prices.ts";
import { drawnFromSteps, sumItems, sums } from "../../experiment/index.ts";
import type { Exam } from "../../experiment/index.ts";
import { flagged } from "../flags.ts";
import type { Io } from "../io.ts";
import { openModel } from "../open.ts";
import { statusOn } from "../status.ts";

/** What the flags say about items. */
export type ExamFlags = {
  readonly benchmark?: readonly string[];
  readonly items: number;
  readonly seed: number;
  readonly steps: number | "auto";
  readonly judge?: string;
};

/** How benchmarks are named, for help. */
export const examForms = `sums (default), steps (for duplex simulate), ${benchmarkNames.join(", ")}; NAME:sample for items of our own, NAME=FILE for a file`;

/** Benchmarks that are open, and what must be closed after them. */
export type OpenExams = { readonly exams: readonly Exam[]; readonly close: () => Promise<void> };

/** The benchmarks, each with its first items; `simulated`: graded by their steps. Throws a ConfigError; nothing stays open then. */
export async function openExams(flags: ExamFlags, simulated: boolean, io: Io): Promise<OpenExams> {
  const { benchmark: wanted = ["sums"], judge: spec } = flags;
  const twice = wanted.find((name, index) => wanted.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigError("--benchmark", `"${twice}" is there twice`);
  const judge = spec === undefined ? undefined : await openModel(spec, io, "--judge");
  const exams: Exam[] = [];
  const close = async () => {
    for (const { benchmark } of exams) await benchmark.close?.();
    await judge?.close?.();
  };
  try {
    for (const name of wanted) exams.push(await openExam(name, { flags, judge, io }));
  } catch (error) {
    await close();
    throw flagged("benchmark", error);
  }
  if (!simulated) return { exams, close };
  return {
    exams: exams.map((exam) => ({ ...exam, benchmark: drawnFromSteps(exam.benchmark), judge: undefined })),
    close,
  };
}

type Opening = { readonly flags: ExamFlags; readonly judge: Model | undefined; readonly io: Io };

async function openExam(written: string, { flags, judge, io }: Opening): Promise<Exam> {
  const { items: limit, seed, steps, judge: spec } = flags;
  if (written === "sums" || written === "steps") {
    const items = sumItems(limit, { seed, steps: steps === "auto" ? 4 : steps });
    if (written === "sums") return { benchmark: sums, items };
    return { benchmark: { ...drawnFromSteps(sums), name: "steps" }, items, simulated: true };
  }
  const [, name = "", file] = /^([^=]*)(?:=(.*))?$/s.exec(written) ?? [];
  if (!benchmarkNames.includes(name.replace(/:sample$/, "")))
    throw new ConfigError("--benchmark", `there is no "${name}"; there are ${examForms}`);
  const status = statusOn(io);
  try {
    const onProgress = () => status.show(`fetching ${name}`);
    const { benchmark, items, skipped } = await loadBenchmark(name, {
      file,
      limit,
      judge,
      signal: io.signal,
      onProgress,
    });
    return {
      benchmark,
      items,
      skipped: skipped.length,
      ...(spec === undefined ? {} : { judge: { name: spec, price: priceOf(spec) } }),
    };
  } finally {
    status.clear();
  }
}
