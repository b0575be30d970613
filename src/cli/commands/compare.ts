import { Command } from "commander";
import { ConfigError } from "../../base/errors.ts";
import type { RunEvent } from "../../core/types.ts";
import { protocols } from "../../runtime/protocols.ts";
import { run } from "../../runtime/run.ts";
import { tell } from "../arms.ts";
import type { Arm, Told } from "../arms.ts";
import { bold, renderArms, renderBeside, verdict, wrapped } from "../beside.ts";
import { count } from "../flags.ts";
import type { Io } from "../io.ts";
import { lookOf } from "../look.ts";
import { limit, perform } from "../perform.ts";
import type { Performed } from "../perform.ts";
import { printable } from "../printable.ts";
import { saveTo } from "../save.ts";
import { statusOn } from "../status.ts";
import { readTask } from "../task.ts";
import type { Stdin } from "../task.ts";
import { openTeam, teamOptions } from "../team.ts";
import type { Team, TeamFlags } from "../team.ts";

type Flags = TeamFlags & {
  readonly protocols: readonly string[];
  readonly repeats: number;
  readonly trace?: string;
  readonly json?: true;
};

/** `duplex compare TASK`: the same team under several protocols. */
export function compareCommand(io: Io, stdin: Stdin = process.stdin): Command {
  const command = new Command("compare")
    .description("run the same team under several protocols, and show what streaming gains and costs")
    .argument("[task]", "what the agents should work on; - reads it from standard input")
    .option("--protocols <names>", "which, separated by commas", protocolList, Object.keys(protocols))
    .option("--repeats <n>", "runs of each; the one with the median time is told of", count("--repeats"), 1);
  return teamOptions(command)
    .option("--trace <file>", "append the events of all runs to a file, one JSON object a line")
    .option("--json", "print a line of JSON for each protocol")
    .addHelpText(
      "after",
      `
Runs are made one after the other, all with the same seed (1 unless --seed is given), each with a model of its own.
single: one agent alone; serial: hears whole messages; segmented: the calls of stream without overlap; stream.
With --hear waiting only stream hears so; segmented hears each step in a call of its own.

Examples:
  duplex compare "How many minutes are in 3.5 days?"
  duplex compare "TASK" --model simulated --topology chain --agents 4 --steps 8 --json
  duplex compare "TASK" --model openai:gpt-4.1-mini --protocols serial,stream --repeats 5`,
    )
    .action(async (words: string | undefined, flags: Flags) => {
      const task = await readTask({ words, file: flags.file, stdin, signal: io.signal });
      await compare(io, task, flags);
    });
}

function protocolList(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  const known = Object.keys(protocols);
  for (const [index, name] of names.entries()) {
    if (!known.includes(name))
      throw new ConfigError("--protocols", `there is no "${name}"; there are ${known.join(", ")}`);
    if (names.indexOf(name) !== index) throw new ConfigError("--protocols", `"${name}" is there twice`);
  }
  return names;
}

async function compare(io: Io, task: string, flags: Flags): Promise<void> {
  // Held open, so that a local model's weights are loaded once.
  const team = await openTeam(flags, io);
  const tellLoss = (problem: string) => io.stderr.write(`duplex: ${printable(problem)}\n`);
  const saving = flags.trace === undefined ? undefined : saveTo(flags.trace, tellLoss);
  const onEvent = (event: RunEvent) => saving?.add(event);
  try {
    const { arms, failure } = await playAll(io, { task, flags, onEvent });
    const told = tell(arms, team.priceOf);
    await saving?.close();
    if (flags.json === true) for (const { line } of told) io.stdout.write(`${JSON.stringify(line)}\n`);
    else if (told.length > 0) show(io, told, { team, flags });
    if (flags.json !== true && flags.trace !== undefined)
      io.stdout.write(`\ntrace: ${printable(saving?.problem ?? flags.trace)}\n`);
    if (failure !== undefined) throw failure.error;
  } finally {
    await saving?.close();
    await team.close();
  }
}

type Plan = { readonly task: string; readonly flags: Flags; readonly onEvent: (event: RunEvent) => void };

type Played = { readonly arms: readonly Arm[]; readonly failure?: { readonly error: unknown } };

/** All protocols once, then all again, so that what drifts over time hits all of them alike. A failure ends it. */
async function playAll(io: Io, { task, flags, onEvent }: Plan): Promise<Played> {
  const arms = flags.protocols.map((protocol) => ({ protocol, runs: [] as (readonly RunEvent[])[] }));
  const whole = () => arms.filter(({ runs }) => runs.length > 0);
  const status = statusOn(io);
  const all = arms.length * flags.repeats;
  let begun = 0;
  try {
    for (let repeat = 0; repeat < flags.repeats; repeat++)
      for (const { protocol, runs } of arms) {
        status.show(`${protocol} (${++begun} of ${all})`);
        const { events, failure } = await playOne(io, { task, flags, onEvent, protocol });
        if (failure !== undefined) return { arms: whole(), failure };
        runs.push(events);
      }
  } finally {
    status.clear();
  }
  return { arms: whole() };
}

async function playOne(io: Io, { task, flags, onEvent, protocol }: Plan & { protocol: string }): Promise<Performed> {
  // A model of its own: what another protocol has left in a cache must not help this one.
  const team = await openTeam(flags, io);
  const bound = limit(io.signal, flags.timeout);
  try {
    if (io.signal.aborted) return { events: [], failure: { error: io.signal.reason } };
    const hear = protocol === "segmented" ? "each" : (flags.hear ?? "each");
    const options = { ...team.options, hear, seed: flags.seed ?? 1, protocol, signal: bound.signal };
    return await perform(run(team.topology, task, options), [onEvent]);
  } finally {
    bound.clear();
    await team.close();
  }
}

function show(io: Io, told: readonly Told[], { team, flags }: { team: Team; flags: Flags }): void {
  const look = lookOf(io);
  const simulated = told.some(({ line }) => line.simulated);
  const models = [...new Set(team.topology.agents.map(({ model }) => printable(model.id)))].join(", ");
  const repeats = flags.repeats > 1 ? `, the median of ${flags.repeats} runs each` : "";
  const about = `${team.topology.agents.length} agents on ${models}${simulated ? " (simulated: its words and times are made up)" : ""}; one run after the other, same seed${repeats}`;
  const pair = told.filter(({ line }) => line.protocol === "serial" || line.protocol === "stream");
  const sections = [
    wrapped(about, look.columns),
    renderArms(told, look),
    renderBeside(pair.length > 0 ? pair : told, look),
    verdict(told, look),
    ...answers(told).map(([name, text]) => [bold(`answer (${name}):`, look), text]),
  ];
  io.stdout.write(
    sections
      .filter((lines) => lines.length > 0)
      .map((lines) => `${lines.join("\n")}\n`)
      .join("\n"),
  );
}

/** Answers, those that are the same told once. */
function answers(told: readonly Told[]): [string, string][] {
  const names = new Map<string, string>();
  for (const { line } of told) {
    const text = printable(line.answer.trim(), { keep: "lines" });
    if (text !== "") names.set(text, names.has(text) ? `${names.get(text)}, ${line.protocol}` : line.protocol);
  }
  return Array.from(names, ([text, name]) => [name, text]);
}
