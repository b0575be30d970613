import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { ConfigError } from "../../base/errors.ts";
import type { Price } from "../../core/usage.ts";
import { parseProfile } from "../../eval/measure/index.ts";
import type { Estimate, Profile } from "../../eval/measure/index.ts";
import { plan } from "../../eval/plan/index.ts";
import type { Candidates, Goal, Planned, Ranked } from "../../eval/plan/index.ts";
import { parsePrice, priceOf } from "../../models/prices.ts";
import { count, number, seconds } from "../flags.ts";
import type { Io } from "../io.ts";
import { lookOf } from "../look.ts";
import { printable } from "../printable.ts";
import { reasonOf } from "../reason.ts";
import { renderTable } from "../table.ts";

type Flags = {
  readonly profile: string;
  readonly price?: string;
  readonly budgetTime?: number;
  readonly budgetCost?: number;
  readonly budgetCorrectness?: number;
  readonly goal?: string;
  readonly topologies?: readonly string[];
  readonly agents?: readonly number[];
  readonly steps?: readonly number[];
  readonly protocols?: readonly string[];
  readonly cuts?: readonly number[];
  readonly keeps?: string;
  readonly cacheMinimum?: number;
  readonly top: number;
  readonly json?: true;
};

const words = (text: string): readonly string[] => text.split(",").map((word) => word.trim());

/** Reads `2,4,8-16`. */
const numbers = (flag: string) => (text: string) =>
  words(text).flatMap((word) => {
    const [, from, to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(word) ?? [];
    if (from === undefined || Number(to) < Number(from))
      throw new ConfigError(flag, `expected numbers such as 2,4 or 2-8, got ${JSON.stringify(text)}`);
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index);
  });

/** `duplex plan`: which team, protocol and policy to run, and whether streaming and interrupting pay. */
export function planCommand(io: Io): Command {
  return new Command("plan")
    .description("say before anything runs which team and protocol will pay, and which will not")
    .requiredOption("--profile <file>", "what `duplex measure -o FILE` wrote")
    .option("--price <price>", "input=2.5,cached=0.25,output=10,currency=USD per million tokens; default: the list's")
    .option("--budget-time <seconds>", "a run may take so long", seconds("--budget-time"))
    .option("--budget-cost <amount>", "a run may cost so much", number("--budget-cost", { above: 0 }))
    .option("--budget-correctness <share>", "so many of its steps must be right, from 0 to 1", share)
    .option("--goal <goal>", "what the best has most of: time, cost or correctness")
    .option("--topologies <names>", "single, chain, tree, graph", words)
    .option("--agents <numbers>", "how many: 2,4 or 2-8", numbers("--agents"))
    .option("--steps <numbers>", "steps of a message: 4,8 or 2-16 (default: as measured)", numbers("--steps"))
    .option("--protocols <names>", "single, serial, segmented, stream", words)
    .option("--cuts <numbers>", "listeners may cut serial speakers after so many steps", numbers("--cuts"))
    .option("--keeps <what>", "what stays the same when steps change: message (default) or step")
    .option("--cache-minimum <tokens>", "shorter prefixes are not cached", number("--cache-minimum", { least: 0 }))
    .option("--top <n>", "how many to show", count("--top"), 10)
    .option("--json", "print the advice as a line of JSON, and then a line for each candidate")
    .addHelpText(
      "after",
      `
Examples:
  duplex plan --profile profile.json
  duplex plan --profile profile.json --agents 2-8 --steps 4,8,16 --budget-time 60 --goal cost
  duplex plan --profile profile.json --price input=5,cached=0.5,output=25 --json`,
    )
    .action((flags: Flags) => planned(io, flags));
}

function share(text: string): number {
  const value = number("--budget-correctness", { least: 0 })(text);
  if (value <= 1) return value;
  throw new ConfigError("--budget-correctness", `must be a share from 0 to 1, not ${JSON.stringify(text)}`);
}

async function planned(io: Io, flags: Flags): Promise<void> {
  const profile = await read(flags.profile);
  const prices = flags.price === undefined ? listed(profile) : parsePrice(flags.price);
  const { budgetTime, budgetCost, budgetCorrectness, goal, cacheMinimum } = flags;
  const ms = budgetTime === undefined ? undefined : budgetTime * 1000;
  const result = naming(flags.profile, () =>
    plan({
      profile,
      prices,
      budget: { ms, cost: budgetCost, correctness: budgetCorrectness },
      goal: goalOf(goal),
      candidates: candidatesOf(flags),
      cacheMinimum,
    }),
  );
  if (flags.json === true) io.stdout.write(linesOf(result, flags.top));
  else io.stdout.write(`${told(io, { profile, result, prices, top: flags.top }).join("\n")}\n`);
}

async function read(file: string): Promise<Profile> {
  const place = printable(file);
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new ConfigError("--profile", `${place}: ${reasonOf(error)}`, { cause: error });
  });
  return parseProfile(text, place);
}

/** Simulated models cost nothing, whatever they are called. */
const listed = ({ model, simulated }: Profile): Price | undefined => (simulated ? undefined : priceOf(model));

const goals: readonly Goal[] = ["time", "cost", "correctness"];

function goalOf(text: string | undefined): Goal | undefined {
  const goal = goals.find((name) => name === text);
  if (text === undefined || goal !== undefined) return goal;
  throw new ConfigError("--goal", `there is no "${text}"; there are ${goals.join(", ")}`);
}

function candidatesOf({ topologies, agents, steps, protocols, cuts, keeps }: Flags): Candidates {
  if (keeps !== undefined && keeps !== "message" && keeps !== "step")
    throw new ConfigError("--keeps", `there is no "${keeps}"; there are message, step`);
  // The plan itself says which names there are.
  return { topologies, protocols, agents, steps, cuts, keeps } as Candidates;
}

const places: Readonly<Record<string, string>> = {
  "budget.ms": "--budget-time",
  "budget.cost": "--budget-cost",
  "budget.correctness": "--budget-correctness",
};

/** Names the flag, or the file, in place of the option. */
function naming<T>(file: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { path } = error;
    const message = error.message.slice(path.length + 2);
    const flag = places[path] ?? (path === "goal" ? "--goal" : path.replace(/^candidates\.([a-z]+).*$/, "--$1"));
    const place = path.startsWith("profile.") ? `${printable(file)} ${path.slice("profile.".length)}` : flag;
    throw new ConfigError(place, message, { cause: error });
  }
}

function linesOf({ goal, currency, ranked, choice, advice, notes }: Planned, top: number): string {
  const head = { type: "plan", goal, currency, candidates: ranked.length, fits: choice !== null, advice, notes };
  const rows = ranked.slice(0, top).map((each, index) => ({ type: "candidate", rank: index + 1, ...each }));
  return [head, ...rows].map((line) => `${JSON.stringify(line)}\n`).join("");
}

const columns = [
  { title: "protocol" },
  { title: "team" },
  { title: "steps", numeric: true },
  { title: "time", numeric: true },
  { title: "", drop: 3 },
  { title: "cost", numeric: true },
  { title: "", drop: 4 },
  { title: "right", numeric: true },
  { title: "", drop: 5 },
  { title: "calls", numeric: true, drop: 2 },
  { title: "budget", drop: 1 },
];

const significant = (value: number): string => String(Number(value.toPrecision(3)));
const duration = (ms: number): string => (ms < 999.5 ? `${Math.round(ms)} ms` : `${significant(ms / 1000)} s`);
const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;

const between = ({ low, high }: Estimate, show: (value: number) => string): string => `${show(low)}-${show(high)}`;

const mannerOf = ({ protocol, hear, cutAfter }: Ranked): string =>
  `${protocol}${hear === "waiting" ? " waiting" : ""}${cutAfter === undefined ? "" : ` cut ${cutAfter}`}`;

function rowOf(ranked: Ranked): string[] {
  const { topology, agents, steps, predicted, fits, fitsSurely } = ranked;
  const { ms, cost, correctness, usage } = predicted;
  return [
    mannerOf(ranked),
    topology === "single" ? "one agent" : `${topology} of ${agents}`,
    String(steps),
    duration(ms.value),
    between(ms, duration),
    cost === null ? "" : significant(cost.value),
    cost === null ? "" : between(cost, significant),
    correctness === null ? "" : percent(correctness.value),
    correctness === null ? "" : between(correctness, percent),
    String(usage.calls),
    fits ? (fitsSurely ? "fits" : "fits barely") : "over",
  ];
}

type Telling = {
  readonly profile: Profile;
  readonly result: Planned;
  readonly prices: Price | undefined;
  readonly top: number;
};

function told(io: Io, { profile, result, prices, top }: Telling): string[] {
  const { ranked, choice, advice, goal, notes } = result;
  const shown = ranked.slice(0, top);
  const rows = shown.map(rowOf);
  const kept = columns.flatMap((_, index) => (rows.some((row) => row[index] !== "") ? [index] : []));
  const table = renderTable(
    kept.map((index) => columns[index]!),
    rows.map((row) => kept.map((index) => row[index] ?? "")),
    lookOf(io),
  );
  const priced = prices === undefined ? "" : `, costs in ${printable(prices.currency)} a run`;
  const of = ranked.length > shown.length ? `the first ${shown.length} of ${ranked.length}` : `all ${ranked.length}`;
  const simulated = profile.simulated ? " (simulated)" : "";
  return [
    `${printable(profile.model)}${simulated}: ${of} by ${goal}${priced}`,
    "",
    ...table,
    "",
    choice === null ? `Nothing fits the budget. The nearest: ${ranked[0]!.why}` : `First: ${choice.why}`,
    advice.stream.why,
    advice.interrupt.why,
    ...notes.map((note) => `note: ${printable(note)}`),
  ];
}
