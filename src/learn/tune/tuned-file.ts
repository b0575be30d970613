// A tuned listener on disk: which model it is, what it is asked, and what its answer means.

import { readFile } from "node:fs/promises";
import { z } from "zod";
import { ConfigError, explain } from "../../base/errors.ts";
import { earAsks } from "../ear-prompt.ts";
import { ruleOfBefore } from "../rule-file.ts";

/** The form of tuned listeners that this version reads. */
export const tunedSchema = "duplex.tuned/1";

const adapter = z.object({
  kind: z.literal("adapter"),
  /** The adapter, in the same folder. */
  gguf: z.string().regex(/^[^/\\]+\.gguf$/),
  bytes: z.number().int().positive(),
  /** The base: its name or path, and the digest of its file. */
  base: z.string(),
  architecture: z.string(),
  digest: z.string(),
});

const api = z.object({
  kind: z.literal("api"),
  /** The tuned model's name, and where it is served. */
  name: z.string().min(1),
  baseURL: z.string().min(1),
});

const schema = z.object({
  schema: z.literal(tunedSchema),
  model: z.discriminatedUnion("kind", [adapter, api]),
  /** How it is asked; absent in files of before: within. */
  ask: z.enum(earAsks).optional(),
  /** What is asked after what was heard. */
  question: z.string(),
  /** The words whose log-odds are read. */
  words: z.tuple([z.string(), z.string()]),
  /** How the model's reply begins, before the word. */
  lead: z.string(),
  /** Log-odds above which it cuts, in the mean of so many looks; null: never. */
  threshold: z.number().nullable(),
  over: z.number().int().positive(),
  /** What the training says of itself. */
  provenance: z.record(z.string(), z.unknown()),
});

/** What stands in a tuned listener's file. */
export type TunedFile = z.infer<typeof schema>;
export type AdapterModel = z.infer<typeof adapter>;
export type ApiModel = z.infer<typeof api>;

/** Checks a tuned listener however it came. Throws a ConfigError that names what is wrong. */
export function checkTuned(value: unknown, place: string): TunedFile {
  const { success, data, error } = schema.safeParse(ruleOfBefore(value, place));
  if (success) return data;
  const [issue] = error.issues;
  throw new ConfigError(`${place} ${issue?.path.join(".") ?? ""}`.trim(), `is no tuned listener: ${issue?.message}`);
}

/** Reads a tuned listener's JSON. Rejects with a ConfigError that names the file. */
export async function readTuned(path: string): Promise<TunedFile> {
  if (path.endsWith(".gguf")) throw new ConfigError(path, "is the adapter; give the .json beside it");
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new ConfigError(path, `cannot be read as JSON: ${explain(cause)}`, { cause });
  }
  return checkTuned(value, path);
}
