import { createReadStream } from "node:fs";
import { Command } from "commander";
import { ConfigError } from "../../base/errors.ts";
import { timeline } from "../../core/timeline.ts";
import { readTrace } from "../../core/trace.ts";
import { transcript } from "../../core/transcript.ts";
import type { AgentTranscript } from "../../core/transcript.ts";
import type { RunEvent } from "../../core/types.ts";
import type { Price } from "../../core/usage.ts";
import { parsePrice, priceOf } from "../../models/prices.ts";
import type { Io } from "../io.ts";
import { printable } from "../printable.ts";
import { renderSummary, summarize } from "../summary.ts";
import type { Summary } from "../summary.ts";
import { lookOf } from "../look.ts";
import { renderTimeline } from "../timeline.ts";
import type { Look } from "../timeline.ts";
import { shownOf } from "../undelimited.ts";

type Options = {
  readonly json?: true;
  readonly answer?: true;
  readonly transcript?: true;
  readonly timeline?: true;
  readonly run?: string;
  readonly serial?: string;
  readonly price?: string;
};
type Events = readonly RunEvent[];

/** `duplex trace FILE`: what the runs in a trace came to. Throws ConfigError for what cannot be read. */
export function traceCommand(io: Io): Command {
  return new Command("trace")
    .description("show what a run came to, from its trace")
    .argument("<file>", "a trace: JSONL, as `duplex run --trace` writes it")
    .option("--answer", "only the answer")
    .option("--transcript", "only what each agent said")
    .option("--timeline", "only who spoke when")
    .option("--run <id>", "only this run: its id, or its number in the file")
    .option("--serial <file>", "a trace whose last run is the same task under serial, to tell the speed-up against")
    .option("--price <price>", "input=2.5,cached=0.25,output=10,currency=USD per million tokens, for every agent")
    .option("--json", "one JSON object a run")
    .addHelpText(
      "after",
      `
Examples:
  duplex trace run.jsonl                        the table, the timeline and the answer
  duplex trace run.jsonl --timeline             only the timeline
  duplex trace run.jsonl --answer --run 2       the answer of the second run in the file
  duplex trace stream.jsonl --serial serial.jsonl --json`,
    )
    .action((file: string, options: Options) => show(io, file, options));
}

async function show(io: Io, file: string, options: Options): Promise<void> {
  const price = options.price === undefined ? undefined : parsePrice(options.price);
  const runs = chosen(await runsIn(io, file), file, options.run);
  const serial = options.serial === undefined ? undefined : (await runsIn(io, options.serial)).at(-1);
  const look = lookOf(io);
  for (const [index, events] of runs.entries()) {
    const summary = summarize(events, { serial, priceOf: (model) => price ?? listed(events, model) });
    const text = options.json === true ? json(summary, events, options) : sections(summary, events, { options, look });
    io.stdout.write(index > 0 && options.json !== true ? `\n${text}` : text);
  }
}

function json(summary: Summary, events: Events, options: Options): string {
  const said = options.transcript === true ? { transcript: transcript(events) } : {};
  const times = options.timeline === true ? { timeline: timeline(events) } : {};
  return `${JSON.stringify({ ...summary, ...said, ...times })}\n`;
}

type Choice = { readonly options: Options; readonly look: Look };

function sections(summary: Summary, events: Events, { options, look }: Choice): string {
  const all = options.answer !== true && options.transcript !== true && options.timeline !== true;
  const parts: string[][] = [];
  if (all) parts.push(renderSummary(summary, look));
  if (all || options.timeline === true) parts.push(renderTimeline(timeline(events), look));
  if (options.transcript === true) parts.push(...transcript(events).map((agent) => agentLines(agent, events)));
  if (all || options.answer === true) parts.push(answerLines(shownOf(events, summary.answer), all));
  return parts.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

/** The runs of a file; lines that were cut short are told on stderr, anything else that is wrong is thrown. */
async function runsIn(io: Io, file: string): Promise<readonly Events[]> {
  const place = printable(file);
  const { runs, torn, problem } = await readTrace(
    createReadStream(file, { encoding: "utf8", signal: io.signal }),
  ).catch((error: unknown) => {
    io.signal.throwIfAborted();
    throw new ConfigError(place, `cannot be read: ${reasonOf(error)}`, { cause: error });
  });
  if (problem !== undefined) throw new ConfigError(place, printable(problem.message), { cause: problem });
  for (const error of torn) io.stderr.write(`${place}: ${error.message}\n`);
  if (runs.length === 0) throw new ConfigError(place, "there is no run in this file");
  return runs;
}

const reasons: { readonly [code: string]: string } = {
  ENOENT: "there is no such file",
  EACCES: "no permission",
  EISDIR: "it is a folder",
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? printable(error instanceof Error ? error.message : String(error));
}

function chosen(runs: readonly Events[], file: string, wanted: string | undefined): readonly Events[] {
  if (wanted === undefined) return runs;
  const idOf = ([first]: Events) => (first?.type === "run-start" ? first.run : "");
  const found = runs.filter((events) => idOf(events) === wanted);
  const numbered = /^\d+$/.test(wanted) ? runs[Number(wanted) - 1] : undefined;
  if (found.length > 0) return found;
  if (numbered !== undefined) return [numbered];
  const ids = runs.slice(0, 5).map(idOf).join(", ");
  const more = runs.length > 5 ? ", …" : "";
  throw new ConfigError("--run", printable(`no run "${wanted}" in ${file}, which has ${runs.length}: ${ids}${more}`));
}

/** Simulated runs cost nothing, whatever their models are called. */
function listed([start]: Events, model: string): Price | undefined {
  if (start?.type !== "run-start" || start.simulated === true) return undefined;
  const date = start.date === undefined ? new Date() : new Date(start.date);
  return priceOf(model, undefined, Number.isNaN(date.getTime()) ? new Date() : date);
}

function agentLines({ agent, turns, end }: AgentTranscript, events: Events): string[] {
  const lines = [`== ${printable(agent)}${end === undefined || end === "done" ? "" : ` (${end})`}`];
  for (const { heard, steps, text, cut, reason } of turns) {
    const from = heard.map(([speaker, index]) => `${printable(speaker)} ${index + 1}`).join(", ");
    if (from !== "") lines.push(`-- having heard ${from}`);
    // A turn without a complete step has still its words.
    const said = steps.length > 0 ? steps : text === "" ? [] : [text];
    lines.push(...said.map((step) => printable(shownOf(events, step), { keep: "lines" })));
    const why = cut?.reason === undefined ? "" : `: ${printable(cut.reason)}`;
    if (cut !== undefined) lines.push(`-- interrupted by ${printable(cut.by)}${why}`);
    else if (reason !== undefined && reason !== "stop") lines.push(`-- ended: ${reason}`);
  }
  return lines;
}

function answerLines(answer: string, headed: boolean): string[] {
  const text = answer === "" ? (headed ? "(none)" : "") : printable(answer, { keep: "lines" });
  return headed ? ["answer:", text] : [text];
}
