// Which command was asked for, and what became of it.

import { Command, CommanderError } from "commander";
import type { Option } from "commander";
import { ConfigError, explain } from "../base/errors.ts";
import type { Io } from "./io.ts";
import { printable } from "./printable.ts";

type Entry = { readonly summary: string; readonly load: (io: Io) => Promise<Command> };

// Loaded one at a time, so that help comes at once.
const entries: Readonly<Record<string, Entry>> = {
  demo: {
    summary: "see it happen: two agents on a model that runs here",
    load: async (io) => (await import("./commands/demo.ts")).demoCommand(io),
  },
  run: {
    summary: "let a team of agents work on a task",
    load: async (io) => (await import("./commands/run.ts")).runCommand(io),
  },
  compare: {
    summary: "the same team under several protocols, side by side",
    load: async (io) => (await import("./commands/compare.ts")).compareCommand(io),
  },
  trace: {
    summary: "what a run came to, from its trace",
    load: async (io) => (await import("./commands/trace.ts")).traceCommand(io),
  },
  eval: {
    summary: "policies compared on a task, on the same samples",
    load: async (io) => (await import("./commands/eval.ts")).evalCommand(io),
  },
  experiment: {
    summary: "the papers' experiments on your model, beside what was published",
    load: async (io) => (await import("./commands/experiment.ts")).experimentCommand(io),
  },
  learn: {
    summary: "learn when to interrupt, from rollouts on your own task and models",
    load: async (io) => (await import("./commands/learn.ts")).learnCommand(io),
  },
  view: {
    summary: "traces and results as a page to look at",
    load: async (io) => (await import("./commands/view.ts")).viewCommand(io),
  },
  measure: {
    summary: "a model's speeds and habits, from traces or by probing it",
    load: async (io) => (await import("./commands/measure.ts")).measureCommand(io),
  },
  plan: {
    summary: "what will pay, before it is run",
    load: async (io) => (await import("./commands/plan.ts")).planCommand(io),
  },
  serve: {
    summary: "serve teams as models of an OpenAI-compatible API",
    load: async (io) => (await import("./commands/serve.ts")).serveCommand(io),
  },
  models: {
    summary: "list, fetch, remove and test models",
    load: async (io) => (await import("./commands/models.ts")).modelsCommand(io),
  },
  simulate: {
    summary: "serve a simulated model as an OpenAI-compatible API",
    load: async (io) => (await import("./commands/simulate.ts")).simulateCommand(io),
  },
};

const examples = `
Examples:
  duplex demo                                          two agents on a model that runs here
  duplex run "How many minutes are in 3.5 days?"       live words, timeline, costs
  duplex compare "TASK" --model simulated --agents 4   what streaming gains, and what it costs
  duplex help run                                      all options of a command

Exit codes: 0 done, 1 failed, 2 wrong use, 130 interrupted by Ctrl-C.`;

/** Runs `duplex` with these arguments; gives the exit code. What went wrong is told in one line on stderr. */
export async function program(args: readonly string[], io: Io, version: string): Promise<number> {
  try {
    const root = await build(args, io, version);
    await root.parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    return codeOf(error, io);
  }
}

async function build(args: readonly string[], io: Io, version: string): Promise<Command> {
  const root = new Command("duplex")
    .description("Agents that stream to each other: listeners hear a message while it is being said.")
    .version(version, "-V, --version")
    .addHelpText("after", examples);
  const words = args.filter((word) => !word.startsWith("-"));
  const wanted = words[0] === "help" ? words[1] : words[0];
  for (const [name, { summary, load }] of Object.entries(entries)) {
    const command = name === wanted ? await load(io) : new Command(name);
    root.addCommand(command.summary(summary));
  }
  settle(root, io);
  return root;
}

/** Commander neither ends the process nor writes elsewhere than where it is told. */
function settle(command: Command, io: Io): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => void io.stderr.write(text),
    getOutHelpWidth: () => io.stdout.columns ?? 80,
    getErrHelpWidth: () => io.stderr.columns ?? 80,
    outputError: (text, write) =>
      write(
        `duplex: ${printable(
          text
            .trim()
            .replace(/^error: /, "")
            .replaceAll(/\s*\n\s*/g, " "),
        )}\n`,
      ),
  });
  for (const option of command.options) readably(option);
  command.showHelpAfterError(false).showSuggestionAfterError();
  for (const sub of command.commands) settle(sub, io);
}

/** Shows a default that is a list or an object as it would be typed. */
function readably(option: Option): void {
  const { defaultValue } = option as { readonly defaultValue?: unknown };
  if (typeof defaultValue !== "object" || defaultValue === null || option.defaultValueDescription !== undefined) return;
  const words = Array.isArray(defaultValue) ? defaultValue.join(",") : "";
  option.defaultValueDescription = words === "" ? "none" : words;
}

function codeOf(error: unknown, { signal, stderr, env }: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (signal.aborted) return 130;
  stderr.write(`duplex: ${printable(explain(error))}\n`);
  if (env["DUPLEX_DEBUG"] === "1" && error instanceof Error) stderr.write(`${error.stack ?? ""}\n`);
  return error instanceof ConfigError ? 2 : 1;
}
