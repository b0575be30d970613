// Least squares with what it is worth: straight lines through measurements that have outliers.

import type { Estimate } from "./profile.ts";

/** Two-sided 95 % of Student's t (Hill's expansion; exact to three digits from three degrees of freedom on). */
export function t95(degrees: number): number {
  if (degrees < 1) return Infinity;
  if (degrees < 2) return 12.706;
  if (degrees < 3) return 4.303;
  const z = 1.959963984540054;
  const [z3, z5, z7] = [z ** 3, z ** 5, z ** 7];
  return (
    z +
    (z3 + z) / (4 * degrees) +
    (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees ** 2) +
    (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * degrees ** 3)
  );
}

/** A value and its 95 % interval, of a standard error. */
export function within(value: number, error: number, degrees: number): Estimate {
  const half = error === 0 ? 0 : t95(degrees) * error;
  return { value, low: value - half, high: value + half };
}

/** An estimate that is known to lie between two ends. */
export function clamped({ value, low, high }: Estimate, least = 0, most = Infinity): Estimate {
  const into = (number: number) => Math.min(most, Math.max(least, number));
  return { value: into(value), low: into(low), high: into(high) };
}

type Rows = readonly (readonly number[])[];

/** The inverse of a symmetric matrix; undefined where a column says nothing that the others do not. */
function inverse(matrix: Rows): number[][] | undefined {
  const size = matrix.length;
  const work = matrix.map((row, index) => [...row, ...row.map((_, column) => (column === index ? 1 : 0))]);
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column; row < size; row++)
      if (Math.abs(work[row]![column]!) > Math.abs(work[pivot]![column]!)) pivot = row;
    const lead = work[pivot]![column]!;
    if (Math.abs(lead) < 1e-9) return undefined;
    [work[column], work[pivot]] = [work[pivot]!, work[column]!];
    work[column] = work[column]!.map((value) => value / lead);
    for (let row = 0; row < size; row++) {
      const factor = work[row]![column]!;
      if (row !== column && factor !== 0)
        work[row] = work[row]!.map((value, place) => value - factor * work[column]![place]!);
    }
  }
  return work.map((row) => row.slice(size));
}

type Solved = {
  readonly coefficients: readonly number[];
  readonly inverse: Rows;
  readonly residuals: readonly number[];
};

const dot = (row: readonly number[], coefficients: readonly number[]): number =>
  row.reduce((sum, value, index) => sum + value * coefficients[index]!, 0);

function solve(rows: Rows, values: readonly number[], weights: readonly number[]): Solved | undefined {
  const size = rows[0]?.length ?? 0;
  const normal = Array.from({ length: size }, () => Array.from({ length: size }, () => 0));
  const right = Array.from({ length: size }, () => 0);
  for (const [index, row] of rows.entries())
    for (let i = 0; i < size; i++) {
      right[i]! += weights[index]! * row[i]! * values[index]!;
      for (let j = 0; j < size; j++) normal[i]![j]! += weights[index]! * row[i]! * row[j]!;
    }
  const inverted = inverse(normal);
  if (inverted === undefined) return undefined;
  const coefficients = inverted.map((row) => dot(row, right));
  return {
    coefficients,
    inverse: inverted,
    residuals: rows.map((row, index) => values[index]! - dot(row, coefficients)),
  };
}

/** Beyond so many spreads a residual counts less (Huber). */
const bend = 2;

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
};

/** How far residuals lie from 0: the median distance, as a standard deviation of normal ones. */
const spreadOf = (residuals: readonly number[]): number => median(residuals.map(Math.abs)) * 1.4826;

type FitOptions = {
  /** What values are exact to: the least standard deviation of a residual. */
  readonly resolution?: number;
};

/** Columns are brought to the same size first, so that what counts as saying nothing does not depend on units. */
function scaled(rows: Rows): { columns: readonly number[]; rows: Rows } {
  const size = rows[0]?.length ?? 0;
  const columns = Array.from({ length: size }, (_, column) =>
    Math.sqrt(rows.reduce((sum, row) => sum + row[column]! ** 2, 0)),
  );
  return { columns, rows: rows.map((row) => row.map((value, column) => value / (columns[column]! || 1))) };
}

/**
 * The coefficients of `values` as a sum of the columns of `rows`, with 95 % intervals: Huber's M-estimator by repeated least
 * squares, its own covariance, and Student's t. Undefined where there are no more rows than columns, or where columns
 * cannot be told apart.
 */
export function fit(
  rows: Rows,
  values: readonly number[],
  { resolution = 0 }: FitOptions = {},
): Estimate[] | undefined {
  const size = rows[0]?.length ?? 0;
  const degrees = rows.length - size;
  if (size === 0 || degrees < 1) return undefined;
  const { columns, rows: unit } = scaled(rows);
  const flat = rows.map(() => 1);
  let solved = solve(unit, values, flat);
  const plain = solved;
  if (solved === undefined || plain === undefined) return undefined;
  for (let round = 0; round < 20; round++) {
    const limit = bend * Math.max(spreadOf(solved.residuals), resolution);
    const weights = solved.residuals.map((residual) => (Math.abs(residual) <= limit ? 1 : limit / Math.abs(residual)));
    if (weights.every((weight) => weight === 1)) break;
    const next = solve(unit, values, weights);
    if (next === undefined) break;
    solved = next;
  }
  const limit = bend * Math.max(spreadOf(solved.residuals), resolution);
  const inside = solved.residuals.filter((residual) => Math.abs(residual) <= limit).length / rows.length;
  const squares = solved.residuals.reduce((sum, residual) => sum + Math.min(Math.abs(residual), limit) ** 2, 0);
  const correction = 1 + ((size / rows.length) * (1 - inside)) / inside;
  const variance = Math.max((correction ** 2 * squares) / degrees / inside ** 2, resolution ** 2);
  return solved.coefficients.map((value, index) => {
    const error = Math.sqrt(variance * plain.inverse[index]![index]!);
    return within(value / columns[index]!, error / columns[index]!, degrees);
  });
}

/**
 * The same by plain least squares, for values whose spread is not everywhere the same: errors by the sandwich HC3 (MacKinnon
 * and White) with the degrees of freedom of Bell and McCaffrey, which is right for shares of right answers.
 */
export function fitShares(rows: Rows, values: readonly number[]): Estimate[] | undefined {
  const size = rows[0]?.length ?? 0;
  if (size === 0 || rows.length <= size) return undefined;
  const { columns, rows: unit } = scaled(rows);
  const solved = solve(
    unit,
    values,
    rows.map(() => 1),
  );
  if (solved === undefined) return undefined;
  const projected = unit.map((row) => solved.inverse.map((line) => dot(line, row)));
  const free = unit.map((row, place) => Math.max(1e-3, 1 - dot(row, projected[place]!)));
  return solved.coefficients.map((value, index) => {
    const weights = projected.map((row, place) => (row[index]! / free[place]!) ** 2);
    const variance = weights.reduce((sum, weight, place) => sum + weight * solved.residuals[place]! ** 2, 0);
    const error = Math.sqrt(variance) / columns[index]!;
    return within(value / columns[index]!, error, sandwichDegrees({ rows: unit, projected, free, weights }));
  });
}

type Sandwich = {
  readonly rows: Rows;
  readonly projected: Rows;
  readonly free: readonly number[];
  readonly weights: readonly number[];
};

/** A coefficient that hangs on few of the rows has few degrees of freedom: (tr M)² / tr M². */
function sandwichDegrees({ rows, projected, free, weights }: Sandwich): number {
  let [trace, squares] = [0, 0];
  for (const [i, row] of rows.entries()) {
    trace += weights[i]! * free[i]!;
    for (let j = 0; j < rows.length; j++) {
      const between = i === j ? free[i]! : dot(row, projected[j]!);
      squares += weights[i]! * weights[j]! * between ** 2;
    }
  }
  return squares === 0 ? rows.length - (rows[0]?.length ?? 0) : Math.max(1, trace ** 2 / squares);
}

/**
 * A statistic of sums over items, each item a row of numbers that are summed up by column, with a 95 % interval: the jackknife,
 * each item left out once. Null where the statistic is; of one item the interval has no width.
 */
export function jackknife(rows: Rows, statistic: (sums: readonly number[]) => number | null): Estimate | null {
  const sums = (rows[0] ?? []).map((_, column) => rows.reduce((sum, row) => sum + row[column]!, 0));
  const value = rows.length === 0 ? null : statistic(sums);
  if (value === null || !Number.isFinite(value)) return null;
  const parts = rows.flatMap((row) => statistic(sums.map((sum, column) => sum - row[column]!)) ?? []);
  if (rows.length < 2 || parts.length < rows.length) return { value, low: value, high: value };
  const middle = parts.reduce((sum, part) => sum + part, 0) / parts.length;
  const squares = parts.reduce((sum, part) => sum + (part - middle) ** 2, 0);
  return within(value, Math.sqrt(((rows.length - 1) / rows.length) * squares), rows.length - 1);
}
