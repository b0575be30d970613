import type { Model } from "../core/types.ts";
import { parseModel, specError } from "../models/spec.ts";
import type { OpenModel } from "../models/spec.ts";
import { catalogue } from "../models/store/catalogue.ts";
import type { Progress } from "../models/store/part.ts";
import { progressOn } from "./commands/models.ts";
import type { Io } from "./io.ts";

/** Models by their specs. */
export type Opened = {
  readonly get: (spec: string) => Model;
  /** The spec of the model with this id. */
  readonly specOf: (id: string) => string | undefined;
  readonly close: () => Promise<void>;
};

/** The flag that a spec came with. */
export type FlagOf = (spec: string) => string;

/** Opens each spec once, fetching what is not here yet. Throws ConfigError or ModelError; nothing stays open then. */
export async function openModels(specs: readonly string[], io: Io, flagOf: FlagOf = () => "--model"): Promise<Opened> {
  const models = new Map<string, OpenModel>();
  const close = async () => {
    for (const model of models.values()) await model.close?.();
    models.clear();
  };
  try {
    for (const spec of new Set(specs)) models.set(spec, await openModel(spec, io, flagOf(spec)));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    get: (spec) => models.get(spec) as Model,
    specOf: (id) => [...models].find(([, model]) => model.id === id)?.[0],
    close,
  };
}

/**
 * Opens a model; while it is fetched stderr tells what comes, under which license, and how far it is. `from`: where the spec was
 * given, for errors.
 */
export async function openModel(spec: string, { env, signal, stderr }: Io, from = "--model"): Promise<OpenModel> {
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
  } catch (error) {
    throw specError(error, from);
  } finally {
    progress.done();
  }
}
