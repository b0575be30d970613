// What the policies of a command line need loaded: weights, ears, tuned listeners.

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigError } from "../base/errors.ts";
import type { Policy } from "../core/policy.ts";
import { openEar, openTuned, shipped, shippedEar, shippedWeights } from "../learn/index.ts";
import type { Ear } from "../learn/index.ts";
import { needsOf, readWeights as parseWeights } from "../policies/index.ts";
import type { Need, OpenedPolicies, Weights } from "../policies/index.ts";
import type { Io } from "./io.ts";
import { reasonOf } from "./reason.ts";

type Loaded = {
  readonly policy: Policy;
  readonly file?: { readonly provenance: Readonly<Record<string, unknown>> };
  readonly close: () => Promise<void>;
};

const flag = "--policy";

/** How each kind of policy that computes on its own is loaded. */
const loaders: { readonly [Name in Need["name"]]?: (need: Need) => Promise<Loaded> } = {
  // An ear of the package by the name of its base, else a file or an address.
  ear: async ({ file, threshold }) => {
    const ours = file === undefined || shipped.ears.some(({ base }) => base === file);
    return openEar(ours ? await shippedEar(file) : file, { threshold });
  },
  finetuned: async ({ file, threshold }) => {
    if (file === undefined || file === "")
      throw new ConfigError("finetuned", "needs the file that duplex learn tune wrote: finetuned:FILE");
    return openTuned(file, { threshold });
  },
};

/** Who listens to what: for policies that come with the package. */
export type For = {
  readonly model?: string | undefined;
  readonly task?: string | undefined;
  /** How the policies are called in errors; `--policy`. */
  readonly place?: string | undefined;
  /** Tokens between two looks, and where it is told that an ear was made for others. */
  readonly chunk?: number | undefined;
  readonly stderr?: Io["stderr"] | undefined;
};

/** Tokens between two looks of what a learned policy's threshold was chosen on. */
const madeFor = ({ file }: Loaded): unknown =>
  (file?.provenance["sampling"] as { readonly chunk?: unknown } | undefined)?.chunk;

function compareChunks(need: Need, loaded: Loaded, { chunk, stderr }: For): void {
  const own = madeFor(loaded);
  if (chunk === undefined || typeof own !== "number" || own === chunk) return;
  const name = need.file === undefined ? need.name : `${need.name}:${need.file}`;
  stderr?.write(
    `duplex: ${name} was made for a look every ${own} tokens, here it looks every ${chunk}: --chunk ${own} saves most\n`,
  );
}

/** The weights that a need stands for; undefined where there are none. */
function weightsOf({ file }: Need, { model, task, place = flag }: For): Weights | undefined {
  return file === undefined || file === ""
    ? shippedWeights(model, task)
    : parseWeights(readWeights(file, place), `${place} ${file}`);
}

/** The ear that weights name, from where their file lies; those of the package name one of the package. */
async function openEarOf({ ear }: Weights, file: string | undefined): Promise<Ear | undefined> {
  if (ear === undefined) return undefined;
  const path = file === undefined ? await shippedEar(ear.file) : resolve(dirname(file), ear.file);
  const opened = await openEar(path);
  if (opened.file.sha256 === ear.sha256) return opened;
  await opened.close();
  throw new ConfigError(file ?? "calibrated", `was fitted with another ear than ${path}; fit it again with this one`);
}

/** The text of a file of weights. Throws a ConfigError that says why it cannot be read. */
export function readWeights(file: string, place = flag): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${place} ${file}`, `cannot be read: ${reasonOf(error)}`);
  }
}

/** Whether one of the policies computes for real, also where everything else is made up: then time must pass. */
export const computes = (texts: readonly string[]): boolean =>
  needsOf(texts, flag).some((need) => need.name !== "calibrated" || weightsOf(need, {})?.ear !== undefined);

/** Loads what the policies of these texts need. Rejects with a ConfigError or a ModelError; nothing stays open then. */
export async function openPolicies(texts: readonly string[], whom: For = {}): Promise<OpenedPolicies> {
  const { place = flag } = whom;
  const loaded = new Map<string, Loaded>();
  const ears = new Map<string, Ear>();
  const close = async () => {
    for (const each of [...loaded.values(), ...ears.values()]) await each.close();
    loaded.clear();
    ears.clear();
  };
  try {
    for (const need of needsOf(texts, place)) {
      const load = loaders[need.name];
      if (load !== undefined) loaded.set(keyOf(need), await loadedFor(need, whom, load));
      const weights = need.name === "calibrated" ? weightsOf(need, whom) : undefined;
      if (weights?.ear === undefined || ears.has(weights.ear.sha256)) continue;
      const ear = await atPolicy(need, place, () => openEarOf(weights, need.file));
      if (ear !== undefined) ears.set(weights.ear.sha256, ear);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    weights: (file) => readWeights(file, place),
    shippedWeights: shippedWeights(whom.model, whom.task),
    opened: (need) => loaded.get(keyOf(need))?.policy,
    earOf: ({ ear }) => (ear === undefined ? undefined : ears.get(ear.sha256)?.look),
    close,
  };
}

async function loadedFor(need: Need, whom: For, load: (need: Need) => Promise<Loaded>): Promise<Loaded> {
  const loaded = await atPolicy(need, whom.place ?? flag, load);
  compareChunks(need, loaded, whom);
  return loaded;
}

const keyOf = ({ name, file, threshold }: Need): string => JSON.stringify([name, file, threshold]);

/** What is wrong with a file is wrong where it was named. */
async function atPolicy<T>(need: Need, place: string, load: (need: Need) => Promise<T>): Promise<T> {
  try {
    return await load(need);
  } catch (error) {
    if (!(error instanceof ConfigError) || error.path.startsWith(place)) throw error;
    const named = error.path === need.name ? error.message : `${need.name}: ${error.message}`;
    throw new ConfigError(`${place} ${named.split(":", 1)[0]}`, named.slice(named.indexOf(":") + 2), { cause: error });
  }
}
