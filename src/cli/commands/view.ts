import { createReadStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { Command } from "commander";
import { ConfigError, explain } from "../../base/errors.ts";
import { readTrace } from "../../core/trace.ts";
import type { Price } from "../../core/usage.ts";
import { parsePrice, priceOf } from "../../models/prices.ts";
import type { Findings } from "../../eval/findings.ts";
import {
  hostPage,
  journalResults,
  looksLikeFindings,
  looksLikeJournal,
  looksLikeResults,
  namedRuns,
  openInBrowser,
  page,
  parseFindings,
  parseResults,
} from "../../viewer/index.ts";
import type { ResultLine, RunsOf, ViewTrace } from "../../viewer/index.ts";
import { portNumber } from "../flags.ts";
import type { Io } from "../io.ts";
import { printable } from "../printable.ts";

type Flags = {
  readonly output?: string;
  readonly compare: readonly string[];
  readonly title?: string;
  readonly price?: string;
  readonly port: number;
  readonly open: boolean;
};

/** `duplex view FILE`: the runs of a trace in a browser, until Ctrl-C, or as one file. Throws ConfigError. */
export function viewCommand(io: Io): Command {
  return new Command("view")
    .description("see who spoke, who listened and who cut in, in a browser")
    .argument(
      "<file>",
      "a trace (`duplex run --trace`), results (`duplex eval --json` or its `--out`), or an experiment's report.jsonl",
    )
    .option("-o, --output <file>", "write one self-contained HTML file instead of serving it")
    .option("--compare <file>", "another trace on the same axis of time; may be given several times", added, [])
    .option("--title <text>", "the page's title")
    .option("--price <price>", "input=2.5,cached=0.25,output=10,currency=USD per million tokens, for every agent")
    .option("--port <port>", "where to serve; 0: any free port", portNumber, 0)
    .option("--no-open", "only print the address")
    .addHelpText(
      "after",
      `
Examples:
  duplex view run.jsonl                              serves it on this machine and opens a browser
  duplex view run.jsonl -o run.html                  one file, to keep or to send
  duplex view serial.jsonl --compare stream.jsonl    one above the other
  duplex view results.jsonl                          what each policy saved, and what it cost
  duplex view DIR/report.jsonl                       what an experiment or a lesson came to`,
    )
    .action((file: string, flags: Flags) => view(io, [file, ...flags.compare], flags));
}

const added = (value: string, before: readonly string[]): readonly string[] => [...before, value];

async function view(io: Io, files: readonly string[], flags: Flags): Promise<void> {
  const read: TornRuns[] = [];
  const results: ResultLine[] = [];
  const findings: Findings[] = [];
  for (const file of files) {
    const head = await headOf(io, file);
    if (looksLikeFindings(head)) findings.push(...(await findingsIn(file)));
    else if (looksLikeJournal(head)) results.push(...(await resultsIn(io, file, journalResults)));
    else if (looksLikeResults(head)) results.push(...(await resultsIn(io, file, parseResults)));
    else read.push(await runsIn(io, file));
  }
  const traces = withProblems(read);
  const html = page({
    traces,
    title: flags.title ?? files.map((file) => basename(file)).join(", "),
    prices: pricesOf(traces, flags.price),
    results,
    findings,
  });
  if (flags.output !== undefined) {
    await save(flags.output, html);
    io.stdout.write(`${printable(flags.output)}\n`);
    return;
  }
  const hosted = await hostPage(html, flags.port);
  io.stdout.write(`${hosted.url}\n`);
  io.stderr.write("Ctrl-C ends it\n");
  if (flags.open) openInBrowser(hosted.url, io.env);
  await until(io.signal);
  await hosted.close();
}

type TornRuns = RunsOf & { readonly torn: readonly string[] };

/** How a file begins: enough to tell what it is. */
async function headOf(io: Io, file: string): Promise<string> {
  let head = "";
  try {
    const source = createReadStream(file, { encoding: "utf8", end: 65_535, signal: io.signal });
    for await (const text of source) head += String(text);
  } catch (error) {
    io.signal.throwIfAborted();
    throw unreadable(file, error);
  }
  return head;
}

type Parsed = { readonly results: readonly ResultLine[]; readonly odd: number };

async function resultsIn(io: Io, file: string, parse: (text: string) => Parsed): Promise<readonly ResultLine[]> {
  const { results, odd } = parse(await readFile(file, "utf8"));
  if (odd > 0) io.stderr.write(`${printable(file)}: lines that are no results are left out: ${odd}\n`);
  if (results.length === 0) throw new ConfigError(printable(file), "there is no result in this file yet");
  return results;
}

async function findingsIn(file: string): Promise<readonly Findings[]> {
  try {
    return parseFindings(await readFile(file, "utf8"));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(printable(file), printable(error.message), { cause: error });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "no permission",
  EISDIR: "it is a folder",
};

function unreadable(file: string, error: unknown): ConfigError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = reasons[code] ?? printable(explain(error));
  return new ConfigError(printable(file), `cannot be read: ${reason}`, { cause: error });
}

async function runsIn(io: Io, file: string): Promise<TornRuns> {
  const place = printable(file);
  const source = createReadStream(file, { encoding: "utf8", signal: io.signal });
  const { runs, torn, problem } = await readTrace(source).catch((error: unknown) => {
    io.signal.throwIfAborted();
    throw unreadable(file, error);
  });
  if (problem !== undefined) throw new ConfigError(place, printable(problem.message), { cause: problem });
  if (runs.length === 0) throw new ConfigError(place, "there is no run in this file");
  for (const error of torn) io.stderr.write(`${place}: ${error.message}\n`);
  return { file: basename(file), runs, torn: torn.map(({ message }) => message) };
}

/** What was cut short stands with the last run of its file, whose end it is. */
function withProblems(files: readonly TornRuns[]): readonly ViewTrace[] {
  const problems = new Map(
    files.map(({ runs, torn, file }) => [runs.at(-1), torn.map((text) => `${file}: ${text}`).join("; ")]),
  );
  return namedRuns(files).map((run) => {
    const problem = problems.get(run.events);
    return problem === undefined || problem === "" ? run : { ...run, problem };
  });
}

/** Simulated runs cost nothing unless a price is given. */
function pricesOf(traces: readonly ViewTrace[], given: string | undefined): Readonly<Record<string, Price>> {
  const price = given === undefined ? undefined : parsePrice(given);
  const prices = new Map<string, Price>();
  for (const { events } of traces) {
    const [start] = events;
    if (start?.type !== "run-start") continue;
    const date = start.date === undefined ? new Date() : new Date(start.date);
    for (const { model } of start.agents) {
      const found =
        price ??
        (start.simulated === true
          ? undefined
          : priceOf(model, undefined, Number.isNaN(date.getTime()) ? new Date() : date));
      if (found !== undefined) prices.set(model, found);
    }
  }
  return Object.fromEntries(prices);
}

async function save(file: string, html: string): Promise<void> {
  await writeFile(file, html).catch((error: unknown) => {
    throw new ConfigError("--output", `${printable(file)} cannot be written: ${explain(error)}`, { cause: error });
  });
}

const until = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
