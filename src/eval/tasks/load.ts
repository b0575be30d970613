import { readFile } from "node:fs/promises";
import { ConfigError } from "../../base/errors.ts";
import { formatOf } from "../benchmarks/rows.ts";
import type { Task } from "../task.ts";
import type { Level } from "./calendar.ts";
import { clues } from "./clues.ts";
import { debate } from "./debate.ts";
import { parseTaskFile } from "./file.ts";
import { meeting } from "./meeting.ts";
import { pictionary } from "./pictionary.ts";
import { parseQuestions, readQuestions } from "./questions-file.ts";
import { report } from "./report.ts";

/** Reads a file as text. */
export type ReadText = (path: string) => Promise<string>;

type Options = Readonly<Record<string, string>>;
type Numbers = Readonly<Record<string, number | undefined>>;

/** A built-in task: its options by name, and how it is made from them. */
type BuiltIn = {
  readonly numbers: readonly string[];
  readonly words: readonly string[];
  make(numbers: Numbers, words: Options): Task;
};

const builtIn: Readonly<Record<string, BuiltIn>> = {
  pictionary: { numbers: ["choices", "rounds"], words: [], make: pictionary },
  meeting: {
    numbers: ["unsolvable", "choices", "rounds"],
    words: ["level"],
    make: (numbers, { level }) => meeting({ ...numbers, level: level as Level | undefined }),
  },
  debate: { numbers: ["rounds"], words: ["file"], make: debate },
  report: {
    numbers: ["facts", "needs", "choices"],
    words: ["kinds"],
    make: (numbers, words) => report({ ...numbers, ...words }),
  },
  clues: { numbers: ["choices"], words: [], make: clues },
};

/** The names of the tasks that come with Duplex. */
export const taskNames: readonly string[] = Object.keys(builtIn);

const readUtf8: ReadText = (path) => readFile(path, "utf8");

async function read(path: string, from: ReadText): Promise<string> {
  try {
    return await from(path);
  } catch (error) {
    throw new ConfigError(path, "cannot be read", { cause: error });
  }
}

function optionsOf(name: string, text: string): { numbers: Numbers; words: Options } {
  const known = builtIn[name] as BuiltIn;
  const numbers: Record<string, number> = {};
  const given: Record<string, string> = {};
  for (const part of text.split(",").filter((piece) => piece !== "")) {
    const [, key = "", value = ""] = /^([^=]*)=(.*)$/.exec(part) ?? [];
    if (known.words.includes(key)) given[key] = value;
    else if (known.numbers.includes(key)) {
      if (value.trim() === "" || !Number.isFinite(Number(value))) {
        throw new ConfigError(`${name}.${key}`, `must be a number; was "${value}"`);
      }
      numbers[key] = Number(value);
    } else {
      const all = [...known.numbers, ...known.words].join(", ");
      throw new ConfigError(
        name,
        `has no option "${part}"; its options are ${all}, as in ${name}:${all.split(",")[0]}=…`,
      );
    }
  }
  return { numbers, words: given };
}

/** A task of the user's own samples, from a JSONL file: see `parseTaskFile`. */
export async function loadTaskFile(path: string, from: ReadText = readUtf8): Promise<Task> {
  return parseTaskFile(await read(path, from), path);
}

/**
 * The task that a text names: a built-in one with options (`report:facts=15,needs=2`, `debate:file=questions.jsonl`), or a
 * file of samples (`mine.jsonl`). Throws a `ConfigError` that says what there is instead.
 */
export async function loadTask(spec: string, from: ReadText = readUtf8): Promise<Task> {
  const [name = "", options = ""] = /^([a-z]+)(?::(.*))?$/.exec(spec)?.slice(1) ?? [];
  if (!Object.hasOwn(builtIn, name)) {
    if (/\.(?:jsonl|ndjson)$/i.test(spec)) return loadTaskFile(spec, from);
    throw new ConfigError("task", `"${spec}" is none of ${taskNames.join(", ")}, and no .jsonl file of samples`);
  }
  const { numbers, words } = optionsOf(name, options);
  const { file } = words;
  if (name !== "debate" || file === undefined) return (builtIn[name] as BuiltIn).make(numbers, words);
  const format = formatOf(file);
  const questions =
    format === "parquet" ? await readQuestions(file) : parseQuestions(await read(file, from), file, format);
  return debate({ ...numbers, questions, name: `debate:file=${file}` });
}
