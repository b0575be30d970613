// What of a whole lesson is finished, kept in its folder.

import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "../../base/errors.ts";
import { openFolder } from "../../models/store/folder.ts";
import { reasonOf } from "../reason.ts";

export const lessonSteps = ["train", "dev", "fit", "ear", "report"] as const;

export type LessonStep = (typeof lessonSteps)[number];

/** What a finished step says of itself. `budget`: it ended because that much was spent. */
export type StepDone = { readonly said: readonly string[]; readonly budget?: number | undefined };

type Settings = Readonly<Record<string, string | number | boolean | null>>;

type State = {
  readonly schema: "duplex.lesson/1";
  readonly settings: Settings;
  readonly done: { readonly [Step in LessonStep]?: StepDone };
};

const journal = "lesson.json";

/** The state of a lesson on disk. */
export type LessonState = {
  readonly done: (step: LessonStep) => StepDone | undefined;
  /** Keeps what a step came to; those after it are to be done again. */
  readonly finish: (step: LessonStep, done: StepDone) => Promise<void>;
};

/** Opens a lesson's folder, or begins one. Rejects with a ConfigError for a folder of other settings, for one that holds anything else, and for one that cannot be written to. */
export async function openLesson(folder: string, settings: Settings): Promise<LessonState> {
  const path = join(folder, journal);
  await openFolder(folder, { place: `--out ${folder}`, what: "lesson", journal });
  let state = checked(await textOf(path), { settings, path });
  const write = async (next: State) => {
    try {
      await writeFile(`${path}.new`, `${JSON.stringify(next, undefined, 2)}\n`);
      await rename(`${path}.new`, path);
    } catch (cause) {
      throw new ConfigError(`--out ${folder}`, `cannot be written to: ${reasonOf(cause)}`, { cause });
    }
    state = next;
  };
  await write(state);
  return {
    done: (step) => state.done[step],
    finish: async (step, done) => {
      const before = lessonSteps.slice(0, lessonSteps.indexOf(step));
      const kept = before.flatMap((name) =>
        state.done[name] === undefined ? [] : [[name, state.done[name]] as const],
      );
      await write({ ...state, done: { ...Object.fromEntries(kept), [step]: done } });
    },
  };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ConfigError(path, `cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

function checked(text: string | undefined, { settings, path }: { settings: Settings; path: string }): State {
  if (text === undefined) return { schema: "duplex.lesson/1", settings, done: {} };
  let state: Partial<State>;
  try {
    state = JSON.parse(text) as Partial<State>;
  } catch (cause) {
    throw new ConfigError(path, "is not JSON; choose another folder", { cause });
  }
  if (state.schema !== "duplex.lesson/1" || typeof state.settings !== "object" || typeof state.done !== "object")
    throw new ConfigError(path, "is no lesson of this version; choose another folder");
  const show = (value: unknown) => JSON.stringify(value ?? null);
  for (const name of new Set([...Object.keys(state.settings), ...Object.keys(settings)]))
    if (show(state.settings[name]) !== show(settings[name]))
      throw new ConfigError(
        path,
        `was begun with ${name} ${show(state.settings[name])}, now ${show(settings[name])}; use it again, or choose another folder`,
      );
  return state as State;
}
