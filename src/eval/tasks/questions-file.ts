// Reads multiple-choice questions in the shapes in which MMLU-Pro is published: parquet, JSONL, JSON and CSV.
import { ConfigError } from "../../base/errors.ts";
import { parseRows, readRows } from "../benchmarks/rows.ts";
import type { Row, RowsFormat } from "../benchmarks/rows.ts";
import type { Question } from "./debate.ts";

export type QuestionsFormat = Exclude<RowsFormat, "parquet">;

function textOf({ place, fields }: Row, names: readonly string[]): string {
  const [name = ""] = names;
  const value = names.map((key) => fields[key]).find((found) => found !== undefined && found !== null);
  if (value === undefined) throw new ConfigError(place, `${name}: is missing`);
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") throw new ConfigError(place, `${name}: must be a text`);
  if (value.trim() === "") throw new ConfigError(place, `${name}: is empty`);
  return value.trim();
}

const quoted = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/gs;

/** A list as JSON, or as Python and NumPy print it: `['a', "b"]`, `['a' 'b']`. Undefined where it is neither. */
function listIn(text: string): unknown[] | undefined {
  if (!/^\[[\s\S]*\]$/.test(text.trim())) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value as unknown[];
  } catch {
    // Not JSON: Python's form is tried.
  }
  const inner = text.trim().slice(1, -1);
  if (inner.replaceAll(quoted, "").replaceAll(/[\s,]/g, "") !== "") return undefined;
  const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
  return [...inner.matchAll(quoted)].map(([, single, double]) =>
    (single ?? double ?? "").replaceAll(/\\(.)/gs, (_, char: string) => escapes[char] ?? char),
  );
}

function optionsOf({ place, fields }: Row): string[] {
  const value = fields["options"] ?? fields["choices"];
  if (value === undefined || value === null || value === "") throw new ConfigError(place, "options: is missing");
  const list = typeof value === "string" ? listIn(value) : value;
  if (!Array.isArray(list)) throw new ConfigError(place, "options: must be a list of texts");
  return list.map((option: unknown, index) => {
    if (typeof option !== "string" && typeof option !== "number") {
      throw new ConfigError(place, `options[${index}]: must be a text`);
    }
    return String(option).trim();
  });
}

const absent = (value: unknown): boolean => value === undefined || value === null || value === "";

/** What a row tells of the right option's index: by the letter, by a number in its place, by answer_index. */
function toldIndices({ place, fields }: Row): number[] {
  const { answer, answer_index: index } = fields;
  const told: number[] = [];
  if (typeof answer === "number") told.push(answer);
  else if (typeof answer === "string" && /^[A-Z]$/i.test(answer.trim())) {
    told.push(answer.trim().toUpperCase().charCodeAt(0) - 65);
  } else if (!absent(answer)) {
    throw new ConfigError(place, `answer: must be a letter, A for the first option; was ${JSON.stringify(answer)}`);
  }
  if (!absent(index)) told.push(Number(index));
  return told;
}

/** The index of the right option, from the letter and the index, which must agree where both are there. */
function answerIn(row: Row, count: number): number {
  const { answer, answer_index: index } = row.fields;
  const [first, second = first] = toldIndices(row);
  if (first === undefined) throw new ConfigError(row.place, "answer: is missing");
  if (!Number.isInteger(first) || first < 0 || first >= count) {
    const was = JSON.stringify(answer ?? index);
    throw new ConfigError(row.place, `answer: must name one of the ${count} options; was ${was}`);
  }
  if (second !== first) {
    throw new ConfigError(
      row.place,
      `answer_index: must agree with answer ${JSON.stringify(answer)}; was ${String(index)}`,
    );
  }
  return first;
}

/** The columns of MMLU-Pro that a question is made of, and their other names. */
export const questionColumns: readonly string[] = [
  "question_id",
  "id",
  "question",
  "options",
  "choices",
  "answer",
  "answer_index",
  "category",
  "subject",
];

/** The question in a row with the columns of MMLU-Pro. Throws a `ConfigError` that names the place and the column. */
export function questionOf(row: Row): Question {
  const all = optionsOf(row);
  const right = answerIn(row, all.length);
  // The raw files fill up with "N/A", which is no option.
  const kept = all
    .map((option, index) => ({ option, index }))
    .filter(({ option, index }) => option !== "N/A" || index === right);
  const options = kept.map(({ option }) => option);
  if (options.length < 2 || options.length > 26) {
    throw new ConfigError(row.place, `options: must be 2 to 26 texts; was ${options.length}`);
  }
  const empty = options.indexOf("");
  if (empty >= 0) throw new ConfigError(row.place, `options[${empty}]: is empty`);
  return {
    id: textOf(row, ["question_id", "id"]),
    subject: textOf(row, ["category", "subject"]),
    question: textOf(row, ["question"]),
    options,
    answer: kept.findIndex(({ index }) => index === right),
  };
}

function questionsIn(rows: readonly Row[], path: string): Question[] {
  if (rows.length === 0) throw new ConfigError(path, "has no questions");
  const seen = new Map<string, string>();
  return rows.map((row) => {
    const question = questionOf(row);
    const before = seen.get(question.id);
    if (before !== undefined) {
      throw new ConfigError(row.place, `question_id: "${question.id}" is already used at ${before}`);
    }
    seen.set(question.id, row.place);
    return question;
  });
}

/**
 * Questions with the fields of MMLU-Pro: question_id, question, options, answer (letter) or answer_index, category.
 * `path` names the file in errors. Throws a `ConfigError` that names the line (or index) and the field.
 */
export const parseQuestions = (text: string, path: string, format: QuestionsFormat): Question[] =>
  questionsIn(parseRows(text, path, format), path);

/** Questions from a parquet file with the fields of MMLU-Pro. Rejects with a `ConfigError` that names the row and the field. */
export async function readQuestions(path: string): Promise<Question[]> {
  const rows: Row[] = [];
  for await (const row of readRows(path, { columns: questionColumns })) rows.push(row);
  return questionsIn(rows, path);
}
