// Making an ear: a linear head on what a layer in the middle of a small model makes of each labelled hearing.

import { ConfigError } from "../base/errors.ts";
import { shapeOf } from "../models/llama/gguf-write.ts";
import { agreementOf, checkAgreement } from "./agreement.ts";
import type { Agreement } from "./agreement.ts";
import { calibrationOf } from "./calibration.ts";
import type { Calibration } from "./calibration.ts";
import { chooseRule, chunkOf, coursesOf, looksOf, playOf } from "./course.ts";
import type { ChosenRule } from "./course.ts";
import { crossValidate } from "./crossing.ts";
import type { CrossOptions, Crossed } from "./crossing.ts";
import { draftEar, writeEar } from "./ear-export.ts";
import type { Drafted } from "./ear-export.ts";
import type { EarFile } from "./ear-file.ts";
import { judgeWith } from "./ear-judge.ts";
import type { Label } from "./label.ts";
import type { EarAsk } from "./ear-prompt.ts";
import { fitLogistic, logistic, logOddsOf } from "./logistic.ts";
import { checkApart } from "./points.ts";
import type { DecisionPoint } from "./points.ts";
import { askOf, readStates } from "./read-states.ts";

/** What an ear is made of, and from which labels. The penalty is, unless told otherwise, the strongest within one standard error of the best (`withinError`). */
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
  /** Tokens that one decision costs; default 0: an ear generates none. */
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
    // At work prompts are read on in portions, which a 4-bit base does not compute quite alike: the smaller the weights the less it matters.
    const crossing = { ...options, withinError: options.withinError ?? true };
    const crossed = crossValidate({ rows, labels: labels.map((each) => each.label), groups }, crossing);
    const loss = crossed.losses.find(({ penalty }) => penalty === crossed.penalty)?.loss ?? Infinity;
    tried.push({ fit: { layer, auc: crossed.auc, loss, penalty: crossed.penalty }, rows, crossed });
  }
  return tried;
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
  readonly labels: readonly Label[];
  readonly rule: ChosenRule;
};

async function chooseLayer(labels: readonly Label[], tries: readonly number[], options: EarFitOptions) {
  const tried = await tryLayers(labels, tries, options);
  const best = tried.reduce((least, each) => (each.fit.loss < least.fit.loss ? each : least));
  const fitted = fitLogistic({ rows: best.rows, labels: labels.map((each) => each.label) }, best.fit.penalty);
  return { tried, best, fitted };
}

/** Where the ear cuts. On `dev` it is judged as it will hear: by its file. */
async function chooseThreshold(drafted: Drafted, { points, judged }: Judged, options: EarFitOptions) {
  const { dev, maxLoss, lookCost = 0, worth } = options;
  const courses =
    dev === undefined ? coursesOf(points, judged) : coursesOf(dev, await judgeWith(drafted, dev, options));
  const chosenRule = chooseRule(courses, { maxLoss, lookCost, worth });
  if (!chosenRule.pays) return { rule: chosenRule, looks: { first: 0, next: [] } };
  const looks = looksOf(courses, chosenRule, { lookCost, chunk: chunkOf(dev ?? points) });
  return { rule: { ...chosenRule, looks, played: playOf(courses, { ...chosenRule, looks }, lookCost) }, looks };
}

type Judged = { readonly points: readonly DecisionPoint[]; readonly judged: readonly number[] };

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
  const { tried, best, fitted } = await chooseLayer(decided, tries, options);
  const drafted = await draftEar(fitted, { layer: best.fit.layer, of }, options);
  const known = best.rows.map((row, index) => ({ point: points[index]!, logOdds: logOddsOf(fitted, row) }));
  const agreement = await agreementOf(drafted, known);
  checkAgreement(agreement, options.out);
  const calibration = calibrationOf(
    best.crossed.logOdds.map(logistic),
    decided.map((each) => each.label),
  );
  const { rule, looks } = await chooseThreshold(drafted, { points, judged: best.crossed.logOdds }, options);
  const chosen: Chosen = { best, labels: decided, rule };
  const file = await writeEar(
    drafted,
    {
      threshold: rule.pays ? rule.threshold : null,
      over: rule.over,
      first: looks.first,
      next: looks.next.filter(({ tokens }) => tokens > 0),
      provenance: toldOf(chosen, calibration, options.provenance),
    },
    options,
  );
  return { file, layers: tried.map(({ fit }) => fit), calibration, rule, agreement };
}
