// An ear on disk: a GGUF file that any llama.cpp runs, and beside it what its log-odds mean.

import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { ConfigError, explain } from "../base/errors.ts";
import { readGguf } from "../models/llama/gguf.ts";
import { earAsks } from "./ear-prompt.ts";
import { ruleOfBefore } from "./rule-file.ts";

/** The form of ears that this version reads. */
export const earSchema = "duplex.ear/1";

const finite = z.number();

const schema = z.object({
  schema: z.literal(earSchema),
  /** The model file, in the same folder. */
  gguf: z.string().regex(/^[^/\\]+\.gguf$/),
  bytes: z.number().int().positive(),
  /** Of the model file; absent in ears of before. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** The base it was cut from, how many layers stay, and how many there were. */
  base: z.string(),
  layers: z.number().int().positive(),
  of: z.number().int().positive(),
  /** How it is asked; absent in ears of before: within. */
  ask: z.enum(earAsks).optional(),
  /** What is asked after what was heard. */
  question: z.string(),
  /** The words whose log-odds are read. */
  words: z.tuple([z.string(), z.string()]),
  /** Added to the file's log-odds: the log-odds that enough was heard. */
  bias: finite,
  /** Log-odds above which it cuts, in the mean of so many looks; null: never. */
  threshold: finite.nullable(),
  over: z.number().int().positive(),
  /** Tokens of a message before the first look pays; absent: it looks at once. */
  first: finite.min(0).optional(),
  /** After a look below `below`, the next one pays after so many tokens. */
  next: z.array(z.object({ below: finite, tokens: z.number().positive() })),
  /** What the fit says of itself: labels, AUC, calibration, agreement of file and fit. */
  provenance: z.record(z.string(), z.unknown()),
});

/** What stands in an ear's JSON file. */
export type EarFile = z.infer<typeof schema>;

/** Checks an ear however it came. Throws a ConfigError that names what is wrong. */
export function checkEar(value: unknown, place: string): EarFile {
  const { success, data, error } = schema.safeParse(ruleOfBefore(value, place));
  if (success) return data;
  const [issue] = error.issues;
  throw new ConfigError(`${place} ${issue?.path.join(".") ?? ""}`.trim(), `is no ear: ${issue?.message}`);
}

/** An ear that was read, and the path of its GGUF file. */
export type FoundEar = { readonly ear: EarFile; readonly gguf: string };

/** Reads an ear's JSON and looks at its model. Rejects with a ConfigError that names the file and what does not fit. */
export async function readEar(path: string): Promise<FoundEar> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new ConfigError(path, `cannot be read as JSON: ${explain(cause)}`, { cause });
  }
  const ear = checkEar(value, path);
  const gguf = join(dirname(path), ear.gguf);
  const { metadata, fileBytes, tensors } = await readGguf(gguf);
  const layers = Number(metadata.get(`${String(metadata.get("general.architecture"))}.block_count`));
  if (layers !== ear.layers || fileBytes !== ear.bytes || !tensors.some(({ name }) => name === "output.weight"))
    throw new ConfigError(gguf, `is not the model that ${path} was fitted with: ${layers} layers, ${fileBytes} bytes`);
  return { ear, gguf };
}
