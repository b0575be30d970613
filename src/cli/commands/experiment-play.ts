// From a setup to its report: the estimate, the question whether to play, progress, and the files.

import type { Command } from "commander";
import { createInterface } from "node:readline/promises";
import { ConfigError } from "../../base/errors.ts";
import { unlessAborted } from "../../base/signal.ts";
import { cost } from "../../core/usage.ts";
import type { Price } from "../../core/usage.ts";
import { openExperiment, playExperiment, reportExperiment, workloadLeft } from "../../experiment/index.ts";
import type { Bound, Opened, Sample, Setup, Workload } from "../../experiment/index.ts";
import { findingsLines, findingsMarkdown } from "../../eval/findings-markdown.ts";
import type { Findings } from "../../eval/findings.ts";
import { findingsPage } from "../../viewer/index.ts";
import type { Io } from "../io.ts";
import { printable } from "../printable.ts";
import { statusOn } from "../status.ts";
import { leftOf } from "./eval-progress.ts";

/** What a command says about how to play. */
export type PlayFlags = {
  readonly out: string;
  readonly limitCalls: number;
  readonly limitMoney: number;
  readonly yes?: true;
  readonly retryFailed?: true;
  readonly json?: true;
};

export type Playing = {
  readonly setup: Setup;
  /** Nobody charges for it and nobody waits: it is asked for at no limit. */
  readonly free: boolean;
  readonly price: Price | undefined;
  readonly bound: Bound | undefined;
  readonly atOnce: number;
  readonly flags: PlayFlags;
  /** The command as it was typed. */
  readonly command: string;
  readonly version: string;
};

/** Plays what is left and writes the report; also of what is finished where it is stopped. */
export async function perform(io: Io, playing: Playing): Promise<void> {
  const { setup, flags } = playing;
  const { out, retryFailed } = flags;
  const opening = openExperiment(setup, { folder: out, retryFailed, place: `--out ${out}` });
  const opened = await unlessAborted(opening, io.signal);
  const samples = [...opened.done];
  let stop: { readonly error: unknown } | undefined;
  let busy: number | undefined;
  try {
    await approve(io, opened, playing);
    busy = await play(io, { playing, opened, samples });
  } catch (error) {
    stop = { error };
  } finally {
    await opened.journal.close();
  }
  if (stop !== undefined && samples.length === opened.done.length) throw stop.error;
  const about = { command: playing.command, version: playing.version };
  const findings = await reportExperiment(opened, samples, { about, pageOf: (made) => pageOf(io, made) });
  tell(io, { playing, findings, samples, opened, busy });
  if (stop !== undefined) throw stop.error;
}

/** The page; where the viewer was not built it is left out, and the other forms are written. */
async function pageOf(io: Io, findings: Findings): Promise<string | undefined> {
  try {
    return await findingsPage(findings);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    io.stderr.write(`duplex: report.html is left out: ${error.message}\n`);
    return undefined;
  }
}

const thousands = (value: number): string => Math.round(value).toLocaleString("en-US");

/** What is left will take, in words. */
function estimateLine({ runs, calls, inputTokens, outputTokens }: Workload, money: string): string {
  return `${thousands(runs)} runs, about ${thousands(calls)} calls, ${thousands(inputTokens)} tokens read, ${thousands(outputTokens)} generated${money}`;
}

function moneyOf(work: Workload, price: Price | undefined): { readonly amount: number; readonly text: string } {
  if (price === undefined) return { amount: 0, text: "" };
  const usage = { calls: work.calls, inputTokens: work.inputTokens, cachedTokens: 0, outputTokens: work.outputTokens };
  const { amount, currency } = cost(usage, price);
  return {
    amount,
    text: `, at most about ${amount < 0.01 ? amount.toFixed(4) : amount.toFixed(2)} ${currency} without caches`,
  };
}

/** Tells what is to come; above a limit it is asked for. Throws a ConfigError where nobody can say yes, and where the answer is no. */
async function approve(io: Io, opened: Opened, { free, price, flags }: Playing): Promise<void> {
  if (opened.left.length === 0) return;
  const work = workloadLeft(opened);
  const { amount, text } = moneyOf(work, price);
  const kept = opened.done.length > 0 ? ` (${opened.done.length} samples are there already)` : "";
  io.stderr.write(`duplex: ${opened.setup.name}: ${estimateLine(work, text)}${kept}\n`);
  // A model that is made up here charges nobody, whatever price it is given.
  const over = !free && (amount > flags.limitMoney || work.calls > flags.limitCalls);
  if (flags.yes === true || !over) return;
  const limits = `--limit-calls ${flags.limitCalls} or --limit-money ${flags.limitMoney}`;
  if (io.stderr.isTTY !== true || !process.stdin.isTTY)
    throw new ConfigError("--yes", `that is more than ${limits}; add --yes to play it, or raise the limit`);
  if (await agreed(io.signal)) return;
  throw new ConfigError("--yes", "not confirmed; nothing was played");
}

async function agreed(signal: AbortSignal): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question("Play it? [y/N] ", { signal })).trim());
  } finally {
    lines.close();
  }
}

type Going = { readonly playing: Playing; readonly opened: Opened; readonly samples: Sample[] };

// Where nobody watches, a line now and then.
const everyMs = 30_000;

/** Plays; how busy the model was kept as long as there was something to begin, where that was so for a while. */
async function play(io: Io, { playing, opened, samples }: Going): Promise<number | undefined> {
  const { atOnce, bound } = playing;
  const status = statusOn(io);
  const start = performance.now();
  const all = opened.setup.cells.length;
  let [finished, failed, shown] = [0, 0, start];
  let busy: number | undefined;
  try {
    for await (const sample of playExperiment(opened, { atOnce, signal: io.signal })) {
      samples.push(sample);
      finished++;
      if (finished === opened.left.length - atOnce) busy = bound?.busy();
      if (sample.failure !== undefined) failed++;
      const now = performance.now();
      const failures = failed > 0 ? `, ${failed} failed` : "";
      const text = `${opened.done.length + finished} of ${all} samples${failures}${leftOf(now - start, finished, opened.left.length - finished)}`;
      if (io.stderr.isTTY === true) status.show(text);
      else if (now - shown >= everyMs) {
        shown = now;
        io.stderr.write(`duplex: ${text}\n`);
      }
    }
  } finally {
    status.clear();
  }
  return busy;
}

type Told = Going & { readonly findings: Findings; readonly busy: number | undefined };

function tell(io: Io, { playing, findings, samples, opened, busy }: Told): void {
  const { flags, bound } = playing;
  io.stdout.write(flags.json === true ? findingsLines(findings) : findingsMarkdown(findings));
  const failed = samples.filter(({ failure }) => failure !== undefined).length;
  const used =
    busy === undefined || bound === undefined
      ? ""
      : `; ${(100 * busy).toFixed(1)} % of ${bound.allowed} calls at once were busy while there was more to begin`;
  const missing = opened.setup.cells.length - samples.length;
  const rest = missing > 0 ? `; ${missing} are left, and the same command goes on` : "";
  const failures = failed > 0 ? `, ${failed} failed` : "";
  io.stderr.write(
    `duplex: ${samples.length} samples${failures}${rest}${used}; the report is in ${printable(flags.out)}\n`,
  );
}

/** The program's own version, which the outermost command has. */
export const versionOf = (command: Command): string => command.parent?.parent?.version() ?? "unknown";

/** Flags that say how to play, and change nothing in the report. */
const hows = ["--yes", "--retry-failed", "--json"];

/** The command as it was typed, its words quoted where a shell needs it. */
export const commandLine = (): string =>
  ["duplex", ...process.argv.slice(2)]
    .filter((word) => !hows.includes(word))
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");
