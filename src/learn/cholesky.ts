// Symmetric positive definite systems, by their lower triangular root.

/** L with LL' = A, from the lower triangle of an n × n matrix by rows; a pivot that rounding made nothing is kept above 0. */
export function choleskyOf(a: Float64Array, n: number): Float64Array<ArrayBuffer> {
  const l = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = a[i * n + j]!;
      for (let k = 0; k < j; k++) sum -= l[i * n + k]! * l[j * n + k]!;
      l[i * n + j] = i === j ? Math.sqrt(Math.max(sum, 1e-14)) : sum / l[j * n + j]!;
    }
  return l;
}

/** x with L x = b. */
export function solveLower(l: Float64Array, b: Float64Array): Float64Array<ArrayBuffer> {
  const n = b.length;
  const x = Float64Array.from(b);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i]! -= l[i * n + k]! * x[k]!;
    x[i]! /= l[i * n + i]!;
  }
  return x;
}

/** x with L' x = b. */
export function solveUpper(l: Float64Array, b: Float64Array): Float64Array<ArrayBuffer> {
  const n = b.length;
  const x = Float64Array.from(b);
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i]! -= l[k * n + i]! * x[k]!;
    x[i]! /= l[i * n + i]!;
  }
  return x;
}
