import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { ConfigError } from "../../base/errors.ts";
import type { Price } from "../../core/usage.ts";
import { priceOf } from "../../models/prices.ts";
import { modelForms } from "../../models/spec.ts";
import { openConfig, readConfig } from "../../server/config.ts";
import type { Config } from "../../server/config-schema.ts";
import { readyTeams } from "../../server/ready.ts";
import type { RunStore } from "../../server/run-store.ts";
import { serve } from "../../server/serve.ts";
import type { ServeOptions, Serving } from "../../server/serve.ts";
import { sqliteStore } from "../../server/sqlite-store.ts";
import type { Team } from "../../server/team.ts";
import { flush } from "../../telemetry/index.ts";
import { viewerPage } from "../../viewer/index.ts";
import { count, flagged, flagOf, number, portNumber } from "../flags.ts";
import type { Io } from "../io.ts";
import { openModel } from "../open.ts";
import { openPolicies } from "../policies.ts";
import { printable } from "../printable.ts";
import { reasonOf } from "../reason.ts";
import { defaultModel } from "../team.ts";
import { secretsIn, warnWithoutSdk } from "../telemetry.ts";

type Flags = {
  readonly port?: number;
  readonly host?: string;
  readonly model?: string;
  readonly keys?: string;
  readonly anybody?: true;
  readonly origin?: readonly string[];
  readonly runs?: number;
  readonly queue?: number;
  readonly deadline: number;
  readonly reasoning?: true;
  readonly store?: string;
  readonly storeRuns?: number;
  readonly storeDays?: number;
  readonly telemetry?: true;
  readonly json?: true;
};

const many = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value];

/** `duplex serve [CONFIG]`: teams as models of an OpenAI-compatible API, until Ctrl-C. Throws ConfigError, ModelError. */
export function serveCommand(io: Io): Command {
  return new Command("serve")
    .description("serve teams of agents as models of an OpenAI-compatible API")
    .argument("[config]", "a file of JSON, or a module, that declares models and teams")
    .option("--port <port>", "where to listen; 0: any free port (default: 8080)", portNumber)
    .option("--host <host>", "address to listen at (default: 127.0.0.1)")
    .option("--model <spec>", `without a config: ${modelForms} (default: DUPLEX_MODEL, else ${defaultModel})`)
    .option("--keys <file>", "let in only those with a key of this file, one a line (or: DUPLEX_SERVE_KEYS)")
    .option("--anybody", "let others than this machine in without a key")
    .option("--origin <origin>", "let pages of this origin call; may be given several times", many)
    .option("--runs <n>", "most runs at a time (default: 64)", count("--runs"))
    .option("--queue <n>", "most requests that wait (default: 256)", number("--queue", { least: 0, whole: true }))
    .option("--deadline <s>", "seconds that runs have to end at Ctrl-C", number("--deadline", { least: 0 }), 10)
    .option("--reasoning", "send what the other agents say as reasoning text")
    .option("--store <file>", "keep runs in a SQLite file, beyond restarts (needs node-sqlite3-wasm)")
    .option("--store-runs <n>", "most runs kept there (default: 10000)", count("--store-runs"))
    .option("--store-days <n>", "days that they are kept (default: 30)", number("--store-days", { above: 0 }))
    .option("--telemetry", "tell OpenTelemetry of every run (start Node with an SDK: node --import ./otel.mjs ...)")
    .option("--json", "print the address as JSON")
    .addHelpText(
      "after",
      `
Examples:
  duplex serve --port 8080 --model simulated        ready-made teams: solo, chain, tree, graph, dialogue
  duplex serve teams.json --keys keys.txt --store runs.db
  DUPLEX_SERVE_KEYS=... duplex serve teams.json --host 0.0.0.0

Any OpenAI client then takes http://127.0.0.1:8080/v1 as its base URL, and a team's name as the model.`,
    )
    .action((file: string | undefined, flags: Flags) => act(io, file, flags));
}

async function keysOf({ keys: file }: Flags, { env }: Io): Promise<readonly string[]> {
  const given = (env["DUPLEX_SERVE_KEYS"] ?? "").split(",");
  let text = "";
  try {
    if (file !== undefined) text = await readFile(file, "utf8");
  } catch (error) {
    throw new ConfigError("--keys", `${file} cannot be read: ${reasonOf(error)}`);
  }
  const lines = text.split("\n").filter((line) => !line.trimStart().startsWith("#"));
  const keys = [...given, ...lines].map((key) => key.trim()).filter((key) => key !== "");
  if (file !== undefined && keys.length === 0) throw new ConfigError("--keys", `there is no key in ${file}`);
  return keys;
}

type Served = Pick<ServeOptions, "teams" | "models" | "limits" | "origins" | "port" | "host"> &
  Pick<Config, "store" | "telemetry"> & { readonly close: () => Promise<void> };

async function servedBy(io: Io, file: string | undefined, flags: Flags): Promise<Served> {
  if (file === undefined) {
    const model = await openModel(flags.model ?? (io.env["DUPLEX_MODEL"] || defaultModel), io);
    return { teams: readyTeams(model), close: async () => model.close?.() };
  }
  if (flags.model !== undefined) throw new ConfigError("--model", `models are told by ${file}; leave it out`);
  const config: Config = await readConfig(file);
  const opened = await openConfig(config, (spec) => openModel(spec, io, "model"), openPolicies).catch(
    (error: unknown) => {
      throw error instanceof ConfigError ? new ConfigError(file, error.message, { cause: error.cause }) : error;
    },
  );
  const { port, host, store, telemetry: told } = config;
  return { ...opened, port, host, store, telemetry: told };
}

/** Where settings were given, as errors name it: by a flag, or else in the config. */
type Places = { readonly store: string; readonly port: string; readonly host: string };

function placesOf(file: string | undefined, flags: Flags, config: Pick<Config, keyof Places>): Places {
  const place = (name: keyof Places, field: string = name): string =>
    file !== undefined && flags[name] === undefined && config[name] !== undefined ? `${file}: ${field}` : flagOf(name);
  return { store: place("store", "store.file"), port: place("port"), host: place("host") };
}

async function act(io: Io, file: string | undefined, flags: Flags): Promise<void> {
  const keys = await keysOf(flags, io);
  const { close, store: kept, telemetry: told, ...served } = await servedBy(io, file, flags);
  const places = placesOf(file, flags, { ...served, store: kept });
  const telemetry = flags.telemetry === true ? (told ?? {}) : told;
  let store: RunStore | undefined;
  let serving: Serving | undefined;
  try {
    if (telemetry !== undefined) warnWithoutSdk(io);
    store = await storeOf(io, flags, { kept, place: places.store });
    const all = { ...optionsOf(io, served, flags), keys, store, telemetry };
    serving = await serve(all).catch((error: unknown) => {
      throw named(error, places);
    });
    tell(io, serving, {
      names: [...Object.keys(served.teams), ...Object.keys(served.models ?? {})],
      locked: keys.length > 0,
      flags,
    });
    await until(io.signal);
    io.stderr.write(`duplex: stopping; runs may end within ${flags.deadline} s\n`);
    await serving.close({ deadlineMs: flags.deadline * 1000 });
  } finally {
    // A server that runs closes it itself.
    if (serving === undefined) await store?.close();
    if (telemetry !== undefined) await flush();
    await close();
  }
}

type Declared = Omit<Served, "close" | "store" | "telemetry">;

function optionsOf(io: Io, served: Declared, flags: Flags): ServeOptions {
  const teams = Object.entries(served.teams).map(([name, team]) => [
    name,
    flags.reasoning === true ? { ...team, reasoning: true } : team,
  ]);
  return {
    ...served,
    teams: Object.fromEntries(teams),
    port: flags.port ?? served.port ?? 8080,
    host: flags.host ?? served.host,
    secrets: secretsIn(io),
    page: pageFor(served.teams),
    anybody: flags.anybody,
    origins: [...(served.origins ?? []), ...(flags.origin ?? [])],
    limits: {
      ...served.limits,
      ...(flags.runs && { runs: flags.runs }),
      ...(flags.queue !== undefined && { queue: flags.queue }),
    },
  };
}

type Kept = { readonly kept: Config["store"]; readonly place: string };

/** The file that runs are kept in, by flag or else by config. */
async function storeOf({ stderr }: Io, flags: Flags, { kept, place }: Kept): Promise<RunStore | undefined> {
  const { storeRuns, storeDays } = flags;
  const file = flags.store ?? kept?.file;
  if (file === undefined) {
    const alone = storeRuns === undefined ? (storeDays === undefined ? undefined : "--store-days") : "--store-runs";
    if (alone !== undefined) throw new ConfigError(alone, "is for runs kept in a file; give --store FILE");
    return undefined;
  }
  const warn = (line: string) => void stderr.write(`duplex: ${printable(`${place}: ${line}`)}\n`);
  const bounds = { runs: storeRuns ?? kept?.runs, days: storeDays ?? kept?.days, bytes: kept?.bytes };
  return sqliteStore(file, { ...bounds, warn }).catch((error: unknown) => {
    throw flagged("store", error, place);
  });
}

/** Errors about the address name the place it was given at. */
function named(error: unknown, { host, port }: Places): unknown {
  if (error instanceof ConfigError && error.path === "host" && error.message.includes("reached by others"))
    return new ConfigError(host, `${error.message.slice(6)} (--keys FILE, DUPLEX_SERVE_KEYS or --anybody)`);
  return flagged("port", flagged("host", error, host), port);
}

/** The viewer, where it was built. */
function pageFor(teams: Readonly<Record<string, Team>>): (() => string) | undefined {
  const ids = Object.values(teams).flatMap(({ topology }) => topology.agents.map(({ model }) => model.id));
  const prices = [...new Set(ids)].flatMap((id): [string, Price][] => {
    const price = priceOf(id);
    return price === undefined ? [] : [[id, price]];
  });
  try {
    const html = viewerPage({ prices: Object.fromEntries(prices) });
    return () => html;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

type Told = { readonly names: readonly string[]; readonly locked: boolean; readonly flags: Flags };

function tell({ stdout }: Io, { url, port }: Serving, { names, locked, flags }: Told): void {
  if (flags.json === true) {
    stdout.write(`${JSON.stringify({ url, port, models: names })}\n`);
    return;
  }
  const model = names.includes("chain") ? "chain" : names[0];
  const body = JSON.stringify({
    model,
    stream: true,
    messages: [{ role: "user", content: "How many minutes are in 3.5 days?" }],
  });
  const key = locked ? ' -H "authorization: Bearer YOUR_KEY"' : "";
  const quoted = body.replaceAll("'", "'\\''");
  stdout.write(
    [
      `${url}/v1  serves ${printable(names.join(", "))}`,
      `watch it: ${url}/  traces: ${url}/runs  counts: ${url}/metrics`,
      "",
      `curl -N ${url}/v1/chat/completions -H "content-type: application/json"${key} -d '${printable(quoted)}'`,
      "",
    ].join("\n"),
  );
}

const until = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
