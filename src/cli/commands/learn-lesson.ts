// The report of a lesson as files.

import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "../../base/errors.ts";
import type { Findings } from "../../eval/findings.ts";
import { findingsLines, findingsMarkdown } from "../../eval/findings-markdown.ts";
import { duplexVersion, label, lessonFindings, readPoints } from "../../learn/index.ts";
import type { Lesson } from "../../learn/index.ts";
import { readWeights } from "../../policies/index.ts";
import type { Weights } from "../../policies/index.ts";
import { findingsPage } from "../../viewer/index.ts";
import type { Io } from "../io.ts";
import { readWeights as readText } from "../policies.ts";
import { reasonOf } from "../reason.ts";
import type { Done } from "./learn-compare.ts";
import type { ReportFlags } from "./learn-report.ts";

/** Labelled places held out, and the weights among the policies, whose probabilities can be held against them. */
export async function heldOf(path: string | undefined, policies: readonly string[]): Promise<Lesson["held"]> {
  if (path === undefined) return undefined;
  const labels = label(await readPoints(path));
  const weights: Record<string, Weights> = {};
  for (const name of policies) {
    const [, file] = /^calibrated:([^:+]+)/.exec(name) ?? [];
    if (file !== undefined) weights[name] = readWeights(readText(file), `--policy ${file}`);
  }
  return { labels, weights };
}

const quoted = (text: string): string =>
  /^[\w:./,=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

const flagOf = (name: string): string => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The command line that makes a report again. */
function commandOf(task: string, flags: ReportFlags): string {
  const words = Object.entries(flags).flatMap(([name, value]: [string, unknown]): string[] => {
    if (value === undefined || ["save", "json", "price"].includes(name)) return [];
    if (value === true) return [flagOf(name)];
    if (name === "policy") return [flagOf(name), (value as readonly string[]).join(",")];
    const all: readonly unknown[] = Array.isArray(value) ? value : [value];
    return all.flatMap((each) => [flagOf(name), typeof each === "string" ? each : JSON.stringify(each)]);
  });
  return ["duplex learn report", ...[task, ...words].map(quoted)].join(" ");
}

/** The page; where the viewer was not built the other files must do. */
async function pageOf(io: Io, findings: Findings): Promise<(readonly [string, string])[]> {
  try {
    return [["report.html", await findingsPage(findings)]];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    io.stderr.write(`duplex: no report.html: ${error.message}\n`);
    return [];
  }
}

type Written = {
  readonly task: string;
  readonly flags: ReportFlags;
  readonly main: Done;
  readonly others: Lesson["others"];
  readonly held: Lesson["held"];
};

/** Writes findings.json, report.md, report.jsonl and report.html, each whole or not at all. Rejects with a ConfigError. */
export async function writeLesson(io: Io, folder: string, written: Written): Promise<void> {
  const { task, flags, main, others, held } = written;
  const { speaker, listener } = main.names;
  const findings = lessonFindings({
    title: `When to interrupt: ${task}`,
    command: commandOf(task, flags),
    provenance: {
      duplex: duplexVersion(),
      speaker,
      listener,
      split: flags.split,
      seed: flags.seed,
      "tokens between two decisions": flags.chunk,
      date: new Date().toISOString().slice(0, 10),
    },
    maxLoss: flags.maxLoss,
    main,
    others,
    held,
  });
  const files = [
    ["findings.json", `${JSON.stringify(findings, undefined, 1)}\n`],
    ["report.md", findingsMarkdown(findings)],
    ["report.jsonl", findingsLines(findings)],
    ...(await pageOf(io, findings)),
  ] as const;
  try {
    for (const [name, text] of files) {
      await writeFile(join(folder, `${name}.new`), text);
      await rename(join(folder, `${name}.new`), join(folder, name));
    }
  } catch (cause) {
    throw new ConfigError(`--save ${folder}`, `cannot be written to: ${reasonOf(cause)}`, { cause });
  }
}
