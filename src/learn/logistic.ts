// Logistic regression with an L2 penalty, by Newton's method: exact, fast for tens of features and for few examples.

import { choleskyOf, solveLower, solveUpper } from "./cholesky.ts";

/** Rows of equal length, and their labels, 0 or 1. */
export type Examples = { readonly rows: readonly (readonly number[])[]; readonly labels: readonly number[] };

/** The probability of label 1 is the logistic of bias + Σ weight · (value − mean) / scale. */
export type Logistic = {
  readonly mean: readonly number[];
  readonly scale: readonly number[];
  readonly weights: readonly number[];
  readonly bias: number;
};

/** Log-odds of label 1. */
export function logOddsOf({ mean, scale, weights, bias }: Logistic, row: readonly number[]): number {
  let sum = bias;
  for (let i = 0; i < weights.length; i++) sum += (weights[i]! * (row[i]! - mean[i]!)) / scale[i]!;
  return sum;
}

/** The probability of log-odds. */
export const logistic = (x: number): number => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x)));

/** −log of the probability that log-odds give the label. */
export const logLossOf = (logOdds: number, label: number): number =>
  Math.max(logOdds, 0) - logOdds * label + Math.log1p(Math.exp(-Math.abs(logOdds)));

/** Mean and standard deviation of each column; a constant column gets scale 1, so that it weighs nothing. */
export function standardize(rows: readonly (readonly number[])[]): Pick<Logistic, "mean" | "scale"> {
  const width = rows[0]?.length ?? 0;
  const mean = Array.from({ length: width }, () => 0);
  const square = Array.from({ length: width }, () => 0);
  for (const row of rows) for (let i = 0; i < width; i++) mean[i]! += row[i]! / rows.length;
  for (const row of rows) for (let i = 0; i < width; i++) square[i]! += (row[i]! - mean[i]!) ** 2 / rows.length;
  return {
    mean,
    scale: square.map((variance, i) => (variance > 1e-18 * (1 + mean[i]! ** 2) ? Math.sqrt(variance) : 1)),
  };
}

/** A matrix by rows. */
type Matrix = { readonly flat: Float64Array; readonly width: number };

/** Columns standardized, and one of ones behind. */
function design(rows: readonly (readonly number[])[], { mean, scale }: Pick<Logistic, "mean" | "scale">): Matrix {
  const width = mean.length + 1;
  const flat = new Float64Array(rows.length * width);
  rows.forEach((row, at) => {
    for (let i = 0; i < width - 1; i++) flat[at * width + i] = (row[i]! - mean[i]!) / scale[i]!;
    flat[at * width + width - 1] = 1;
  });
  return { flat, width };
}

/** How weights of fewer columns become those of all. */
type Reduced = Matrix & { readonly back: (weights: Float64Array) => Float64Array };

/**
 * With fewer rows than columns the best weights are a sum of the rows, X'a: the rows' inner products K = LL' are all that
 * counts. L has the same inner products in fewer columns, weights v there are X' L'⁻¹ v here, and as long.
 */
function reduce({ flat, width }: Matrix, count: number): Reduced {
  const columns = width - 1;
  if (count >= columns) return { flat, width, back: (weights) => weights };
  const gram = new Float64Array(count * count);
  let trace = 0;
  for (let a = 0; a < count; a++)
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let i = 0; i < columns; i++) sum += flat[a * width + i]! * flat[b * width + i]!;
      gram[a * count + b] = sum;
      if (a === b) trace += sum;
    }
  // Centered rows depend on each other: without this the last pivot is nothing but rounding.
  for (let a = 0; a < count; a++) gram[a * count + a]! += (1e-9 * trace) / count + 1e-12;
  const lower = choleskyOf(gram, count);
  const small = new Float64Array(count * (count + 1));
  for (let a = 0; a < count; a++) {
    small.set(lower.subarray(a * count, a * count + a + 1), a * (count + 1));
    small[a * (count + 1) + count] = 1;
  }
  const back = (weights: Float64Array) => {
    const share = solveUpper(lower, weights);
    const all = new Float64Array(columns);
    for (let a = 0; a < count; a++) for (let i = 0; i < columns; i++) all[i]! += share[a]! * flat[a * width + i]!;
    return all;
  };
  return { flat: small, width: count + 1, back };
}

export type Problem = Matrix & { readonly labels: readonly number[]; readonly l2: number };

/** Rows that are added to the Hessian together: reading and writing it is what takes long. */
const together = 4;

/** Adds Σ curvature · row row' to the lower triangle. */
function addCurvature(hessian: Float64Array, { flat, width }: Matrix, curvature: Float64Array): void {
  const count = curvature.length;
  // Rows of nothing behind the last one, so that all are as many.
  const padded = Math.ceil(count / together) * together;
  const rows = new Float64Array(padded * width);
  rows.set(flat.subarray(0, count * width));
  for (let at = 0; at < count; at += together) {
    const [a, b, c, d] = [at * width, (at + 1) * width, (at + 2) * width, (at + 3) * width] as const;
    const [ca, cb, cc, cd] = [curvature[at]!, curvature[at + 1] ?? 0, curvature[at + 2] ?? 0, curvature[at + 3] ?? 0];
    for (let i = 0; i < width; i++) {
      const [xa, xb, xc, xd] = [ca * rows[a + i]!, cb * rows[b + i]!, cc * rows[c + i]!, cd * rows[d + i]!];
      const row = i * width;
      for (let j = 0; j <= i; j++)
        hessian[row + j]! += xa * rows[a + j]! + xb * rows[b + j]! + xc * rows[c + j]! + xd * rows[d + j]!;
    }
  }
}

/** Mean log-loss plus penalty, with its gradient and Hessian (lower triangle); the last column's weight is free. */
export function derivatives({ flat, labels, width, l2 }: Problem, beta: Float64Array) {
  const gradient = new Float64Array(width);
  const hessian = new Float64Array(width * width);
  const count = labels.length;
  const curvature = new Float64Array(count);
  let loss = 0;
  for (let at = 0, base = 0; at < count; at++, base += width) {
    let z = 0;
    for (let i = 0; i < width; i++) z += flat[base + i]! * beta[i]!;
    const p = logistic(z);
    loss += logLossOf(z, labels[at]!) / count;
    const residual = (p - labels[at]!) / count;
    curvature[at] = (p * (1 - p)) / count;
    for (let i = 0; i < width; i++) gradient[i]! += residual * flat[base + i]!;
  }
  addCurvature(hessian, { flat, width }, curvature);
  for (let i = 0; i < width - 1; i++) {
    loss += (l2 / 2) * beta[i]! ** 2;
    gradient[i]! += l2 * beta[i]!;
    hessian[i * width + i]! += l2;
  }
  return { loss, gradient, hessian };
}

/** Newton's method from `beta`, steps halved until they lower the loss. */
function minimize(problem: Problem, beta: Float64Array): Float64Array {
  let here = { beta, ...derivatives(problem, beta) };
  for (let round = 0; round < 50; round++) {
    const { width } = problem;
    const hessian = here.hessian.slice();
    for (let i = 0; i < width; i++) hessian[i * width + i]! += 1e-12;
    const lower = choleskyOf(hessian, width);
    const direction = solveUpper(lower, solveLower(lower, here.gradient));
    const slope = here.gradient.reduce((sum, value, i) => sum + value * direction[i]!, 0);
    if (!(slope > 1e-10)) break;
    const next = lowered(problem, here, { direction, slope });
    if (next === undefined) break;
    here = next;
  }
  return here.beta;
}

type Place = ReturnType<typeof derivatives> & { readonly beta: Float64Array };

function lowered(
  problem: Problem,
  { beta, loss }: Place,
  { direction, slope }: { readonly direction: Float64Array; readonly slope: number },
): Place | undefined {
  for (let size = 1; size > 1e-6; size /= 2) {
    const to = beta.map((value, i) => value - size * direction[i]!);
    const there = derivatives(problem, to);
    if (there.loss < loss - 1e-4 * size * slope) return { beta: to, ...there };
  }
  return undefined;
}

/**
 * Fits weights under each of the penalties on Σ weight² / 2, in units of an example's mean log-loss; the bias is free. The
 * caller checks the data: both labels, finite numbers, rows of equal length.
 */
export function fitPath({ rows, labels }: Examples, penalties: readonly number[]): Logistic[] {
  const { mean, scale } = standardize(rows);
  const { back, ...matrix } = reduce(design(rows, { mean, scale }), rows.length);
  const { width } = matrix;
  let beta = new Float64Array(width);
  const share = labels.reduce((sum, label) => sum + label, 0) / labels.length;
  beta[width - 1] = Math.log(share / (1 - share));
  const found = new Map<number, Logistic>();
  // From the strongest penalty on, each begins where the last one ended.
  for (const l2 of penalties.toSorted((a, b) => b - a)) {
    beta = Float64Array.from(minimize({ ...matrix, labels, l2 }, beta));
    const weights = [...back(beta.subarray(0, width - 1))];
    found.set(l2, { mean, scale, weights, bias: beta[width - 1]! });
  }
  return penalties.map((l2) => found.get(l2)!);
}

/** Fits weights under one penalty; see `fitPath`. */
export const fitLogistic = (examples: Examples, l2: number): Logistic => fitPath(examples, [l2])[0]!;
