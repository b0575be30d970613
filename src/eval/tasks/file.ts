import { z } from "zod";
import { ConfigError } from "../../base/errors.ts";
import { checkDraw, shuffled, splitOf, type Draw } from "../split.ts";
import { judgeAnswers, type Sample, type Task } from "../task.ts";
import { sameAnswer } from "./match.ts";

const filled = z.string().trim().min(1, "must not be empty");

const line = z.strictObject({
  id: filled,
  split: z.enum(["train", "dev", "test"]).optional(),
  prompt: filled,
  roles: z
    .array(
      z.strictObject({
        id: filled,
        instructions: filled,
        listens: z.boolean().default(false),
        reminder: filled.optional(),
        says: filled.optional(),
      }),
    )
    .min(2, "must name at least two roles"),
  rounds: z.int().min(1).default(1),
  answer: z.strictObject({
    by: filled,
    question: filled.optional(),
    about: filled.optional(),
    marker: filled.default("Answer:"),
    right: z.array(filled).min(1, "must give at least one right answer"),
    candidates: z.array(filled).min(2, "must be at least two").optional(),
    bare: z.boolean().default(false),
    tries: z.int().min(1).default(1),
  }),
  enough: z
    .array(z.array(z.strictObject({ by: filled, said: filled, values: z.array(filled).min(1).optional() })))
    .optional(),
  data: z.unknown().optional(),
});

type Line = z.infer<typeof line>;

type Placed = { readonly place: string; readonly item: Line };

const fieldOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (name, key) => (typeof key === "number" ? `${name}[${key}]` : name === "" ? String(key) : `${name}.${String(key)}`),
    "",
  );

function readLine(source: string, place: string): Placed {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new ConfigError(place, `is not valid JSON (${(error as Error).message})`);
  }
  const result = line.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const field = fieldOf(issue?.path ?? []);
    const missing = issue?.code === "invalid_type" && at(value, issue.path) === undefined;
    throw new ConfigError(
      place,
      `${field === "" ? "" : `${field}: `}${missing ? "is missing" : (issue?.message ?? "")}`,
    );
  }
  checkRoles(result.data, place);
  return { place, item: result.data };
}

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value);

/** What a schema cannot say: names that must be different, or known. */
function checkRoles({ roles, answer, enough = [] }: Line, place: string): void {
  const ids = roles.map(({ id }) => id);
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (twice >= 0) throw new ConfigError(place, `roles[${twice}].id: "${ids[twice]}" is already used`);
  if (!ids.includes(answer.by)) {
    throw new ConfigError(place, `answer.by: "${answer.by}" is none of the roles (${ids.join(", ")})`);
  }
  const stranger = enough.flat().find(({ by }) => !ids.includes(by));
  if (stranger !== undefined) throw new ConfigError(place, `enough: "${stranger.by}" is none of the roles`);
  const { candidates, right } = answer;
  if (candidates === undefined) return;
  const rightOnes = candidates.filter((candidate) => right.some((form) => sameAnswer(form, candidate)));
  if (rightOnes.length !== 1) {
    throw new ConfigError(place, `answer.candidates: exactly one must be right; ${rightOnes.length} are`);
  }
}

/**
 * A task of samples that a user wrote, one JSON object a line, in the shape of `Sample` without `task`; `split` may be left
 * out and then follows from the id. `path` names the file in errors. Throws a `ConfigError` that names line and field.
 */
export function parseTaskFile(source: string, path: string): Task {
  const placed = source
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .flatMap((text, index) => (text.trim() === "" ? [] : [readLine(text, `${path}:${index + 1}`)]));
  if (placed.length === 0) throw new ConfigError(path, "has no samples");
  const places = new Map<string, string>();
  for (const { place, item } of placed) {
    const before = places.get(item.id);
    if (before !== undefined) throw new ConfigError(place, `id: "${item.id}" is already used at ${before}`);
    places.set(item.id, place);
  }
  const items = placed.map(({ item }) => item);
  return {
    name: path,
    samples: (draw) => samplesOf(items, path, draw),
    judge: (transcript, sample) => judgeAnswers(transcript, sample),
  };
}

function samplesOf(items: readonly Line[], path: string, draw: Draw): Sample[] {
  checkDraw(draw);
  const own = items.filter(({ id, split }) => (split ?? splitOf(id, draw.splitSeed)) === draw.split);
  if (own.length === 0) {
    throw new ConfigError(
      path,
      `the split "${draw.split}" is empty: none of the ${items.length} samples belongs to it`,
    );
  }
  const drawn = shuffled(own, ({ id }) => id, draw.seed).slice(0, draw.size);
  return drawn.map((item) => ({ ...item, task: path, split: draw.split, data: item.data ?? null }));
}
