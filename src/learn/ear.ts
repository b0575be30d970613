// Making an ear: a linear head on what a layer in the middle of a small model makes of each labelled hearing.

import { stat, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { ConfigError, explain } from "../base/errors.ts";
import type { Hearing } from "../core/policy.ts";
import { cutGguf, shapeOf } from "../models/llama/gguf-write.ts";
import { share } from "../models/llama/native.ts";
import { calibrationOf } from "./calibration.ts";
import type { Calibration } from "./calibration.ts";
import { chooseRule, chunkOf, coursesOf, looksOf, playOf } from "./course.ts";
import type { ChosenRule, Looks } from "./course.ts";
import { crossValidate } from "./crossing.ts";
import type { CrossOptions, Crossed } from "./crossing.ts";
import { earSchema } from "./ear-file.ts";
import type { EarFile } from "./ear-file.ts";
import { openEar } from "./ear-policy.ts";
import type { Label } from "./label.ts";
import { encodeRow, headSchema, sha256Of } from "./head.ts";
import type { Head } from "./head.ts";
import { questionOf } from "./ear-prompt.ts";
import type { EarAsk } from "./ear-prompt.ts";
import { fitLogistic, logistic, logOddsOf } from "./logistic.ts";
import type { Logistic } from "./logistic.ts";
import { checkApart } from "./points.ts";
import type { DecisionPoint } from "./points.ts";
import { askOf, readStates } from "./read-states.ts";

/** What an ear is made of, and from which labels. */
export type EarFitOptions = CrossOptions & {
  /** The base: a GGUF file of the llama or qwen2 kind, and how it is called. */
  readonly model: string;
  readonly base?: string | undefined;
  /** Layers to try; default a third, half and two thirds of the way up. */
  readonly layers?: readonly number[] | undefined;
  /** How the ear is asked; default: apart where every point tells what its listener needs to know, else within. */
  readonly ask?: EarAsk | undefined;
  /** What is asked after what was heard. */
  readonly question?: string | undefined;
  /** The words whose log-odds the file gives; each must be one token. */
  readonly words?: readonly [string, string] | undefined;
  /** Where the ear goes: a name that ends in .json; the model lies beside it. */
  readonly out: string;
  /** Where the head alone goes as well, small enough to be shared: see `growEar`. */
  readonly head?: string | undefined;
  /** A file of states that were read before, to go on from; default: none are kept. */
  readonly states?: string | undefined;
  /** Points to choose the threshold on; default: those fitted on, each judged by weights that never saw its sample. */
  readonly dev?: readonly DecisionPoint[] | undefined;
  /** How much success may be lost against hearing everything, as a share; default 0.01. */
  readonly maxLoss?: number | undefined;
  /** Tokens that one decision costs; default 1. */
  readonly lookCost?: number | undefined;
  /** Tokens that one success is worth when thresholds within the bound are compared; default 0: the cheapest wins. */
  readonly worth?: number | undefined;
  readonly contextTokens?: number | undefined;
  readonly threads?: number | undefined;
  readonly provenance?: Readonly<Record<string, unknown>> | undefined;
  readonly onProgress?: ((progress: { layer: number; done: number; all: number }) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** How well a layer tells, held out by sample. */
export type LayerFit = {
  readonly layer: number;
  readonly auc: number;
  readonly loss: number;
  readonly penalty: number;
};

/** How far the file's log-odds are from the fitted ones. */
export type Agreement = { readonly points: number; readonly largest: number; readonly mean: number };

/** An ear that was fitted, written and checked. */
export type FittedEar = {
  readonly file: EarFile;
  readonly layers: readonly LayerFit[];
  readonly calibration: Calibration;
  readonly rule: ChosenRule;
  readonly agreement: Agreement;
};

type Tried = { readonly fit: LayerFit; readonly rows: readonly (readonly number[])[]; readonly crossed: Crossed };

async function tryLayers(labels: readonly Label[], layers: readonly number[], options: EarFitOptions) {
  const points = labels.map(({ point }) => point);
  const groups = points.map(({ task, sample }) => `${task} ${sample}`);
  const tried: Tried[] = [];
  for (const layer of layers) {
    const rows = await readStates(points, layer, options);
    const crossed = crossValidate({ rows, labels: labels.map((each) => each.label), groups }, options);
    const loss = Math.min(...crossed.losses.map((each) => each.loss));
    tried.push({ fit: { layer, auc: crossed.auc, loss, penalty: crossed.penalty }, rows, crossed });
  }
  return tried;
}

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

const hearingOf = ({ messages, ...point }: DecisionPoint, index: number): Hearing => ({
  ...point,
  chunks: point.chunk,
  steps: [],
  messages: () => messages,
  session: `check ${index}`,
  model: {
    id: "none",
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: async () => ({ value: undefined, done: true }) }) }),
  },
});

// Enough to see a wrong head or a wrong prompt; each costs a pass.
const checked = 12;
/** Rounding to 16 bits and other orders of adding leave less than this; anything wrong leaves much more. */
const bound = 1;

async function agreementOf(
  out: string,
  fitted: readonly { point: DecisionPoint; logOdds: number }[],
): Promise<Agreement> {
  const opened = await openEar(out, { contexts: 1 });
  try {
    const every = Math.max(1, Math.floor(fitted.length / checked));
    const some = fitted.filter((_, index) => index % every === 0);
    const gaps: number[] = [];
    for (const [index, { point, logOdds }] of some.entries()) {
      const seen = await opened.look(hearingOf(point, index));
      // Below what can be read off probabilities only the bound is known.
      if (logOdds - opened.file.bias > -18) gaps.push(Math.abs((seen.logOdds ?? Number.NaN) - logOdds));
    }
    return { points: gaps.length, largest: Math.max(0, ...gaps), mean: gaps.reduce((a, b) => a + b / gaps.length, 0) };
  } finally {
    await opened.close();
  }
}

async function layersOf({
  model,
  layers,
}: EarFitOptions): Promise<{ readonly tries: readonly number[]; readonly of: number }> {
  const { layers: of } = await shapeOf(model);
  const tries = layers ?? [...new Set([of / 3, of / 2, (2 * of) / 3].map((layer) => Math.max(1, Math.round(layer))))];
  const wrong = tries.find((layer) => !Number.isInteger(layer) || layer < 1 || layer > of);
  if (wrong !== undefined) throw new ConfigError("layers", `must be from 1 to ${of}; ${wrong} is not`);
  return { tries, of };
}

type Chosen = {
  readonly best: Tried;
  readonly fitted: Logistic;
  readonly labels: readonly Label[];
  readonly rule: ChosenRule;
  readonly looks: Looks;
};

async function chooseLayer(labels: readonly Label[], tries: readonly number[], options: EarFitOptions) {
  const { dev, maxLoss, lookCost = 1 } = options;
  const tried = await tryLayers(labels, tries, options);
  const best = tried.reduce((least, each) => (each.fit.loss < least.fit.loss ? each : least));
  const fitted = fitLogistic({ rows: best.rows, labels: labels.map((each) => each.label) }, best.fit.penalty);
  const points = dev ?? labels.map(({ point }) => point);
  const judged =
    dev === undefined
      ? best.crossed.logOdds
      : (await readStates(dev, best.fit.layer, options)).map((row) => logOddsOf(fitted, row));
  const courses = coursesOf(points, judged);
  const chosenRule = chooseRule(courses, { maxLoss, lookCost, worth: options.worth });
  const { pays } = chosenRule;
  const looks = pays ? looksOf(courses, chosenRule, { lookCost, chunk: chunkOf(points) }) : { first: 0, next: [] };
  const rule = pays
    ? { ...chosenRule, looks, played: playOf(courses, { ...chosenRule, looks }, lookCost) }
    : chosenRule;
  const chosen: Chosen = { best, fitted, labels, rule, looks };
  return { chosen, tried };
}

/** What the fit says of itself. */
function toldOf({ best, rule, labels }: Chosen, calibration: Calibration, provenance: EarFitOptions["provenance"]) {
  return {
    ...provenance,
    points: labels.length,
    positive: labels.filter((each) => each.label === 1).length,
    samples: new Set(labels.map(({ point }) => `${point.task} ${point.sample}`)).size,
    auc: best.fit.auc,
    penalty: best.fit.penalty,
    brier: calibration.brier,
    ece: calibration.ece,
    success: { full: rule.full.success, cut: rule.played.success },
    saved: rule.played.saved,
  };
}

/** Writes the model and the JSON beside it. */
async function exportEar(chosen: Chosen, of: number, options: EarFitOptions) {
  const { best, fitted, rule, labels, looks } = chosen;
  const { model, out, ask = "within", question = questionOf(ask), words = ["Yes", "No"] } = options;
  const gguf = `${out.slice(0, -".json".length)}.gguf`;
  const { row, bias } = rowOf(fitted);
  const [yes = []] = await tokensOf(model, words);
  await cutGguf(model, gguf, { layers: best.fit.layer, head: new Map(yes.map((token) => [token, row])) });
  const calibration = calibrationOf(
    best.crossed.logOdds.map(logistic),
    labels.map((each) => each.label),
  );
  const file = {
    schema: earSchema,
    gguf: basename(gguf),
    bytes: (await stat(gguf)).size,
    sha256: await sha256Of(gguf),
    base: options.base ?? basename(model),
    layers: best.fit.layer,
    of,
    ask,
    question,
    words: [words[0], words[1]],
    bias,
    threshold: rule.pays ? rule.threshold : null,
    inRow: rule.inRow,
    first: looks.first,
    next: looks.next.filter(({ tokens }) => tokens > 0),
    provenance: toldOf(chosen, calibration, options.provenance),
  } satisfies EarFile;
  await writeJson(out, file);
  if (options.head !== undefined)
    await writeJson(options.head, { schema: headSchema, tokens: yes, row: encodeRow(row), ear: file } satisfies Head);
  return { file, calibration };
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFile(path, `${JSON.stringify(value, undefined, 2)}\n`).catch((cause: unknown) => {
    throw new ConfigError(path, `cannot be written: ${explain(cause)}`, { cause });
  });
}

/**
 * Fits an ear to labels that are decided and writes it. The layer is the one with the lowest loss on samples held out, the
 * threshold that with the lowest cost within the bound on whole messages. Rejects with a ConfigError for labels that cannot be
 * learned from, and where the written file gives other log-odds than were fitted.
 */
export async function fitEar(labels: readonly Label[], given: EarFitOptions): Promise<FittedEar> {
  if (!given.out.endsWith(".json")) throw new ConfigError("out", "must end in .json; the model is put beside it");
  const decided = labels.filter(({ undecided }) => !undecided);
  const points = decided.map(({ point }) => point);
  const { dev = [] } = given;
  checkApart(points, dev);
  const options = { ...given, ask: given.ask ?? askOf([...points, ...dev]) };
  const { tries, of } = await layersOf(options);
  const { chosen, tried } = await chooseLayer(decided, tries, options);
  const { file, calibration } = await exportEar(chosen, of, options);
  const { best, fitted, rule } = chosen;
  const known = best.rows.map((row, index) => ({ point: decided[index]!.point, logOdds: logOddsOf(fitted, row) }));
  const agreement = await agreementOf(options.out, known);
  if (!(agreement.largest <= bound))
    throw new ConfigError(
      options.out,
      `the written file's log-odds differ by up to ${agreement.largest.toFixed(2)} from the fitted ones; do not use it`,
    );
  return { file, layers: tried.map(({ fit }) => fit), calibration, rule, agreement };
}
