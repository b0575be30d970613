import { Command, Option } from "commander";
import { timeline } from "../../core/timeline.ts";
import { formatEvent } from "../../core/trace.ts";
import type { RunEvent } from "../../core/types.ts";
import { protocols } from "../../runtime/protocols.ts";
import { run } from "../../runtime/run.ts";
import type { Io } from "../io.ts";
import { Live } from "../live.ts";
import { lookOf } from "../look.ts";
import { limit, perform } from "../perform.ts";
import type { Performed } from "../perform.ts";
import { printable } from "../printable.ts";
import { saveTo } from "../save.ts";
import type { Saving } from "../save.ts";
import { renderSummary, summarize } from "../summary.ts";
import { readTask } from "../task.ts";
import type { Stdin } from "../task.ts";
import { atFlags } from "../flags.ts";
import { protocolFrom, talkOptions } from "../talk.ts";
import type { TalkFlags } from "../talk.ts";
import { openTeam, teamOptions } from "../team.ts";
import { telling } from "../telemetry.ts";
import type { Team, TeamFlags } from "../team.ts";
import { renderTimeline } from "../timeline.ts";
import { shownOf } from "../undelimited.ts";

type Flags = TeamFlags & TalkFlags & { readonly trace?: string; readonly telemetry?: true; readonly json?: true };

/** `duplex run TASK`: a team of agents works on a task. */
export function runCommand(io: Io, stdin: Stdin = process.stdin): Command {
  const command = new Command("run")
    .description("let a team of agents work on a task, each hearing the others while they speak")
    .argument("[task]", "what the agents should work on; - reads it from standard input")
    .addOption(
      new Option("--protocol <name>", "when listeners hear what speakers say")
        .choices([...Object.keys(protocols), "dialogue"])
        .default("stream"),
    );
  return talkOptions(teamOptions(command))
    .option("--trace <file>", "append the run's events to a file, one JSON object a line")
    .option("--telemetry", "tell OpenTelemetry of the run (start Node with an SDK: node --import ./otel.mjs ...)")
    .option("--json", "print each event as a line of JSON")
    .addHelpText(
      "after",
      `
On a terminal: the words of each agent as they are said, then who spoke when, and what it took.
Into a pipe: the answer alone.

Examples:
  duplex run "How many minutes are in 3.5 days?"
  duplex run "Plan a trip" --model simulated --topology tree --agents 4
  duplex run - --model openai:gpt-4.1-mini --trace run.jsonl < task.txt
  duplex run "TASK" --model openai:NAME@http://localhost:8080/v1 --hear waiting --json
  duplex run "Which is heavier, a liter of oil or of water?" --protocol dialogue --policy own:0.8 --chunk 8
  duplex run "Find a slot" --protocol dialogue --topology three.json --listeners host --policy prompted --until "Slot:"`,
    )
    .action(async (words: string | undefined, flags: Flags) => {
      const task = await readTask({ words, file: flags.file, stdin, signal: io.signal });
      await act(io, task, flags);
    });
}

/** Settings that are written as flags. */
const settings = ["hear", "listeners", "rounds", "chunk", "cut"];

async function act(io: Io, task: string, flags: Flags): Promise<void> {
  const protocol = protocolFrom(flags);
  const team = await openTeam(flags, io);
  const bound = limit(io.signal, flags.timeout);
  try {
    io.signal.throwIfAborted();
    const playing = atFlags(settings, () =>
      run(team.topology, task, { ...team.options, protocol, signal: bound.signal }),
    );
    const tell = (problem: string) => io.stderr.write(`duplex: ${printable(problem)}\n`);
    const saving = flags.trace === undefined ? undefined : saveTo(flags.trace, tell);
    const told = flags.telemetry === true ? telling(io) : undefined;
    const more = told === undefined ? [] : [told.add];
    const performed = await watched(io, {
      flags,
      saving,
      play: (watchers) => perform(playing, [...more, ...watchers]),
    });
    await saving?.close();
    await told?.end(performed.failure?.error);
    report(io, { team, performed, flags, problem: saving?.problem });
    if (performed.failure !== undefined) throw performed.failure.error;
  } finally {
    bound.clear();
    await team.close();
  }
}

type Watching = {
  readonly flags: Flags;
  readonly saving: Saving | undefined;
  readonly play: (watchers: readonly ((event: RunEvent) => void)[]) => Promise<Performed>;
};

/** Plays the run before the eyes of whoever there is: a program, a person, a file. */
async function watched(io: Io, { flags, saving, play }: Watching): Promise<Performed> {
  const save = saving === undefined ? [] : [(event: RunEvent) => saving.add(event)];
  if (flags.json === true) return play([...save, (event) => io.stdout.write(`${formatEvent(event)}\n`)]);
  if (io.stdout.isTTY !== true) return play(save);
  const live = new Live({ out: io.stdout, look: lookOf(io), moves: io.env["TERM"] !== "dumb" });
  try {
    return await play([...save, (event) => live.add(event)]);
  } finally {
    live.end();
  }
}

type Reported = {
  readonly team: Team;
  readonly performed: Performed;
  readonly flags: Flags;
  readonly problem: string | undefined;
};

function report(io: Io, { team, performed, flags, problem }: Reported): void {
  const { events, failure } = performed;
  if (failure === undefined) for (const line of failuresIn(events)) io.stderr.write(`duplex: ${line}\n`);
  if (flags.json === true) return;
  const summary = summarize(events, { priceOf: team.priceOf });
  const text = printable(shownOf(events, summary.answer), { keep: "lines" });
  if (io.stdout.isTTY !== true) {
    if (failure === undefined) io.stdout.write(`${text}\n`);
    return;
  }
  const look = lookOf(io);
  const sections = [renderTimeline(timeline(events), look), renderSummary(summary, look)];
  if (text !== "" && summary.agents.length > 1) sections.push(["answer:", text]);
  if (flags.trace !== undefined)
    sections.push([problem === undefined ? `trace: ${printable(flags.trace)}` : `trace: ${printable(problem)}`]);
  io.stdout.write(sections.map((lines) => `\n${lines.join("\n")}\n`).join(""));
}

/** Agents that failed in a run that went on without them. */
const failuresIn = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === "agent-end" && event.reason === "failed"
      ? [printable(`${event.agent} failed: ${event.error?.message ?? "unknown"}`)]
      : [],
  );
