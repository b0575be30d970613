// The Python that trains: found, or set up in a folder of its own.

import { readFile, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError, explain } from "../../base/errors.ts";
import { makeFolder } from "../../models/store/folder.ts";
import { lastLine, run } from "./process.ts";
import type { RunOptions } from "./process.ts";

/** Packages that were tried together. */
export const packages: readonly string[] = [
  "transformers==5.24.0",
  "peft==0.21.2",
  "trl==1.16.0",
  "accelerate==1.15.0",
  "datasets==5.2.0",
  "gguf==0.19.0",
];

const names: readonly string[] = ["torch", ...packages.map((each) => each.split("==")[0]!)];

const oldest = [3, 10] as const;

/** A Python that is new enough, and which of the packages it lacks. */
export type Python = { readonly command: string; readonly version: string; readonly missing: readonly string[] };

// Asked of metadata: importing them all takes half a minute.
const question =
  "import sys, json, importlib.metadata as m\n" +
  "def has(n):\n try: return bool(m.version(n))\n except m.PackageNotFoundError: return False\n" +
  `print(json.dumps([list(sys.version_info[:3]), [n for n in ${JSON.stringify(names)} if not has(n)]]))`;

/** How a Python is run. */
export type PythonOptions = Pick<RunOptions, "signal" | "env">;

async function ask(command: string, options: PythonOptions): Promise<Python> {
  const lines: string[] = [];
  const { code, errors } = await run(command, ["-c", question], { ...options, onLine: (line) => lines.push(line) });
  options.signal?.throwIfAborted();
  let answer: unknown;
  try {
    answer = JSON.parse(lines.at(-1) ?? "");
  } catch {
    answer = undefined;
  }
  if (code !== 0 || !Array.isArray(answer))
    throw new ConfigError(command, `is no working Python: ${lastLine(errors) || `it ended with code ${code}`}`);
  const [version, missing] = answer as [number[], string[]];
  const [major = 0, minor = 0] = version;
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1]))
    throw new ConfigError(command, `is Python ${version.join(".")}; ${oldest.join(".")} or newer is needed`);
  return { command, version: version.join("."), missing };
}

/** The interpreter in an environment's folder. */
export const interpreterIn = (folder: string): string =>
  process.platform === "win32" ? join(folder, "Scripts", "python.exe") : join(folder, "bin", "python");

const isMissing = (error: unknown) => (error as { readonly code?: unknown } | null)?.code === "ENOENT";

/** Where a Python is looked for. */
export type FindOptions = PythonOptions & {
  /** The only one to be tried. */
  readonly python?: string | undefined;
  /** The folder of an environment that was set up before. */
  readonly folder: string;
};

/** The Python to be used: the one given, the one set up, or the system's. Rejects with a ConfigError where there is none. */
export async function findPython({ python, folder, ...runs }: FindOptions): Promise<Python> {
  const system = process.platform === "win32" ? ["python", "py"] : ["python3", "python"];
  const tried = python === undefined ? [interpreterIn(folder), ...system] : [python];
  const wrong: string[] = [];
  const lacking: Python[] = [];
  for (const command of tried) {
    try {
      const found = await ask(command, runs);
      if (found.missing.length === 0) return found;
      lacking.push(found);
    } catch (error) {
      runs.signal?.throwIfAborted();
      if (isMissing(error) && python === undefined) continue;
      wrong.push(isMissing(error) ? `${command}: there is no such program` : explain(error));
    }
  }
  const [first] = lacking;
  if (first !== undefined) return first;
  const why = wrong.length === 0 ? `there is no ${system.join(" and no ")}` : wrong.join("; ");
  throw new ConfigError(
    "--python",
    `${why}. Training needs Python ${oldest.join(".")} or newer; install it, or name one`,
  );
}

/** Where the Python of a training is set up. */
export type SetupOptions = PythonOptions & {
  readonly folder: string;
  /** Where PyTorch comes from, such as its own index of builds for processors only, a tenth of the size. */
  readonly torchIndex?: string | undefined;
  readonly onLine?: ((line: string) => void) | undefined;
  /** Free bytes at a path; default: the file system's. */
  readonly free?: ((path: string) => Promise<number>) | undefined;
};

const freeAt = async (path: string): Promise<number> => {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
};

/** About what an environment takes, in bytes: PyTorch from the usual index brings what graphics cards need. */
export const roomFor = (torchIndex: string | undefined): number => (torchIndex === undefined ? 6.5e9 : 1.6e9);

async function step(command: string, args: readonly string[], { onLine, ...runs }: SetupOptions): Promise<void> {
  const { code, errors } = await run(command, args, { ...runs, onLine });
  runs.signal?.throwIfAborted();
  if (code === 0) return;
  const full = /No space left|Errno 28/u.test(errors) ? "there is no space left on the disk" : lastLine(errors);
  throw new ConfigError("--setup", `\`${args.slice(0, 4).join(" ")}\` failed: ${full || `code ${code}`}`);
}

/**
 * Sets up an environment with all that training needs; what was begun before is gone on with. Rejects with a ConfigError
 * where there is no room, or a step fails.
 */
export async function setUp(python: string, options: SetupOptions): Promise<Python> {
  const { folder, torchIndex, free = freeAt, signal } = options;
  try {
    await makeFolder(folder);
  } catch (cause) {
    throw new ConfigError("--setup", `${folder} cannot be made: ${explain(cause)}`, { cause });
  }
  const [needed, room] = [roomFor(torchIndex), await free(folder)];
  if (room < needed)
    throw new ConfigError(
      "--setup",
      `${folder} has ${(room / 1e9).toFixed(1)} GB free and about ${(needed / 1e9).toFixed(1)} are needed; make room, or set DUPLEX_CACHE to another disk`,
    );
  const done = join(folder, "duplex-packages.json");
  const wanted = JSON.stringify({ packages, torchIndex: torchIndex ?? null });
  const inside = interpreterIn(folder);
  if ((await readFile(done, "utf8").catch(() => "")) !== wanted) {
    await step(python, ["-m", "venv", folder], options);
    const pip = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input"];
    const index = torchIndex === undefined ? [] : ["--index-url", torchIndex];
    await step(inside, [...pip, "torch", ...index], options);
    await step(inside, [...pip, ...packages], options);
    await writeFile(done, wanted);
  }
  signal?.throwIfAborted();
  const found = await ask(inside, options);
  if (found.missing.length === 0) return found;
  throw new ConfigError(
    "--setup",
    `${folder} still lacks ${found.missing.join(", ")}; remove the folder and try again`,
  );
}
