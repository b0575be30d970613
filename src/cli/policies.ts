// What the policies of a command line need loaded: weights, ears, tuned listeners.

import { readFileSync } from "node:fs";
import { ConfigError } from "../base/errors.ts";
import type { Policy } from "../core/policy.ts";
import { openEar } from "../learn/index.ts";
import { needsOf } from "../policies/index.ts";
import type { Need, OpenedPolicies } from "../policies/index.ts";
import { reasonOf } from "./reason.ts";

type Loaded = { readonly policy: Policy; readonly close: () => Promise<void> };

/** How each kind of policy that computes on its own is loaded. */
const loaders: { readonly [Name in Need["name"]]?: (need: Need) => Promise<Loaded> } = {
  ear: ({ file, threshold }) => openEar(given("ear", file), { threshold }),
};

function given(name: string, file: string | undefined): string {
  if (file !== undefined && file !== "") return file;
  throw new ConfigError("--policy", `"${name}" lacks its file; write ${name}:FILE`);
}

/** The text of a file of weights. Throws a ConfigError that says why it cannot be read. */
export function readWeights(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`--policy ${file}`, `cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** Whether one of the policies computes for real, also where everything else is made up: then time must pass. */
export const computes = (texts: readonly string[]): boolean =>
  needsOf(texts, "--policy").some(({ name }) => name !== "calibrated");

/** Loads what the policies of these texts need. Rejects with a ConfigError or a ModelError; nothing stays open then. */
export async function openPolicies(texts: readonly string[]): Promise<OpenedPolicies> {
  const loaded = new Map<string, Loaded>();
  const close = async () => {
    for (const each of loaded.values()) await each.close();
    loaded.clear();
  };
  try {
    for (const need of needsOf(texts, "--policy")) {
      const load = loaders[need.name];
      if (load !== undefined) loaded.set(keyOf(need), await atPolicy(need, load));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { weights: readWeights, opened: (need) => loaded.get(keyOf(need))?.policy, close };
}

const keyOf = ({ name, file, threshold }: Need): string => JSON.stringify([name, file, threshold]);

/** What is wrong with a file is wrong at the flag. */
async function atPolicy(need: Need, load: (need: Need) => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load(need);
  } catch (error) {
    if (!(error instanceof ConfigError) || error.path.startsWith("--policy")) throw error;
    throw new ConfigError(`--policy ${need.name}`, error.message, { cause: error });
  }
}
