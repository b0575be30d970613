import type { Model } from "../core/types.ts";
import { parseModel } from "../models/spec.ts";
import type { OpenModel } from "../models/spec.ts";
import { catalogue } from "../models/store/catalogue.ts";
import type { Progress } from "../models/store/part.ts";
import { progressOn } from "./commands/models.ts";
import { flagged } from "./flags.ts";
import type { Io } from "./io.ts";

/** Models by their specs. */
export type Opened = {
  readonly get: (spec: string) => Model;
  /** The spec of the model with this id. */
  readonly specOf: (id: string) => string | undefined;
  readonly close: () => Promise<void>;
};

/** Opens each spec once, fetching what is not here yet. Throws ConfigError or ModelError; nothing stays open then. */
export async function openModels(specs: readonly string[], io: Io): Promise<Opened> {
  const models = new Map<string, OpenModel>();
  const close = async () => {
    for (const model of models.values()) await model.close?.();
    models.clear();
  };
  try {
    for (const spec of new Set(specs)) models.set(spec, await openModel(spec, io));
  } catch (error) {
    await close();
    throw flagged("model", error);
  }
  return {
    get: (spec) => models.get(spec) as Model,
    specOf: (id) => [...models].find(([, model]) => model.id === id)?.[0],
    close,
  };
}

/** Opens a model; while it is fetched stderr tells what comes, under which license, and how far it is. */
export async function openModel(spec: string, { env, signal, stderr }: Io): Promise<OpenModel> {
  const progress = progressOn(stderr);
  let told = false;
  const onProgress = (now: Progress) => {
    const entry = catalogue.find(({ name }) => spec.startsWith(`llama:${name}`));
    if (!told && entry !== undefined)
      stderr.write(
        `${entry.title} (${Math.round(entry.bytes / 1e6)} MB, ${entry.license}) is fetched once and kept.\n`,
      );
    told = true;
    progress.show(now);
  };
  try {
    return await parseModel(spec, { env, signal, onProgress });
  } finally {
    progress.done();
  }
}
