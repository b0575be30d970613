// Writing an ear: the base cut after a layer with the fitted head, and the JSON that says what its log-odds mean.

import { stat, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { ConfigError, explain } from "../base/errors.ts";
import { cutGguf } from "../models/llama/gguf-write.ts";
import { share } from "../models/llama/native.ts";
import { earSchema } from "./ear-file.ts";
import type { EarFile } from "./ear-file.ts";
import { questionOf } from "./ear-prompt.ts";
import type { EarAsk } from "./ear-prompt.ts";
import { encodeRow, headSchema, sha256Of } from "./head.ts";
import type { Head } from "./head.ts";
import type { Logistic } from "./logistic.ts";

/** What is written, and where. */
export type EarExport = {
  readonly model: string;
  readonly base?: string | undefined;
  readonly out: string;
  readonly head?: string | undefined;
  readonly ask?: EarAsk | undefined;
  readonly question?: string | undefined;
  readonly words?: readonly [string, string] | undefined;
};

/** An ear whose model is written; its threshold is not chosen yet. */
export type Drafted = {
  /** The model file. */
  readonly gguf: string;
  readonly file: EarFile & { readonly sha256: string };
  readonly row: readonly number[];
  readonly tokens: readonly number[];
};

/** The row that a plain head needs, and what is left for the bias. */
function rowOf({ mean, scale, weights, bias }: Logistic): { readonly row: number[]; readonly bias: number } {
  const row = weights.map((weight, index) => weight / scale[index]!);
  return { row, bias: row.reduce((sum, weight, index) => sum - weight * mean[index]!, bias) };
}

/** The tokens that begin a word, as it stands and after a space. */
async function tokensOf(model: string, words: readonly [string, string]): Promise<readonly (readonly number[])[]> {
  const shared = await share(model, false);
  try {
    return words.map((word) => {
      const ways = [word, ` ${word}`].map((text) => shared.native.tokenize(text, false, "trimLeadingSpace"));
      if (ways[0]?.length !== 1) throw new ConfigError("words", `"${word}" is not one token of ${basename(model)}`);
      return [...new Set(ways.filter((tokens) => tokens.length === 1).map(([token]) => Number(token)))];
    });
  } finally {
    await shared.release();
  }
}

/** Writes the model, `NAME.gguf` beside `out`, NAME.json. */
export async function draftEar(
  fitted: Logistic,
  { layer, of }: { readonly layer: number; readonly of: number },
  options: EarExport,
): Promise<Drafted> {
  const { model, out, ask = "within", question = questionOf(ask), words = ["Yes", "No"] } = options;
  const gguf = `${out.slice(0, -".json".length)}.gguf`;
  const { row, bias } = rowOf(fitted);
  const [yes = []] = await tokensOf(model, words);
  await cutGguf(model, gguf, { layers: layer, head: new Map(yes.map((token) => [token, row])) });
  const file = {
    schema: earSchema,
    gguf: basename(gguf),
    bytes: (await stat(gguf)).size,
    sha256: await sha256Of(gguf),
    base: options.base ?? basename(model),
    layers: layer,
    of,
    ask,
    question,
    words: [words[0], words[1]] as [string, string],
    bias,
    threshold: null,
    over: 1,
    next: [],
    provenance: {},
  } satisfies EarFile;
  return { gguf, file, row, tokens: yes };
}

/** Writes the JSON beside the model, and the head where one is wanted. */
export async function writeEar(
  { file: draft, row, tokens }: Drafted,
  chosen: Partial<EarFile>,
  { out, head }: Pick<EarExport, "out" | "head">,
): Promise<EarFile> {
  const file = { ...draft, ...chosen, sha256: draft.sha256 };
  await writeJson(out, file);
  if (head !== undefined)
    await writeJson(head, { schema: headSchema, tokens, row: encodeRow(row), ear: file } satisfies Head);
  return file;
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFile(path, `${JSON.stringify(value, undefined, 2)}\n`).catch((cause: unknown) => {
    throw new ConfigError(path, `cannot be written: ${explain(cause)}`, { cause });
  });
}
