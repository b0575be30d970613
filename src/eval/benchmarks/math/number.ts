// Real numbers as answers hold them: exact fractions as long as that goes, else floating point.

/** A real number; `exact` is a reduced fraction with a positive denominator. */
export type Real = { readonly exact?: readonly [bigint, bigint] | undefined; readonly approximate: number };

/** An expression that has no real value here: division by zero, too large, not real. */
export class NoValue extends Error {
  override readonly name = "NoValue";
}

/** Numbers of more bits than this are not computed exactly: an answer shall not cost seconds. */
const mostBits = 200_000;

/** The same for fractions, whose common divisors take longer to find. */
const mostFractionBits = 4000;

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);
const bitsOf = (value: bigint): number => absolute(value).toString(16).length * 4;

function divisor(one: bigint, other: bigint): bigint {
  let [a, b] = [absolute(one), absolute(other)];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/** A quotient of large integers as a number, without the overflow of either. */
function quotient(top: bigint, bottom: bigint): number {
  const direct = Number(top) / Number(bottom);
  if (Number.isFinite(direct) && (direct !== 0 || top === 0n)) return direct;
  const shift = BigInt(Math.max(0, Math.min(bitsOf(top), bitsOf(bottom)) - 1000));
  const shifted = Number(top >> shift) / Number(bottom >> shift);
  return Number.isNaN(shifted) ? Number.POSITIVE_INFINITY : shifted;
}

/** A fraction; throws `NoValue` for a denominator of zero. */
export function fraction(top: bigint, bottom = 1n): Real {
  if (bottom === 0n) throw new NoValue("division by zero");
  const most = bottom === 1n ? mostBits : mostFractionBits;
  if (bitsOf(top) > most || bitsOf(bottom) > most) throw new NoValue("too large");
  const common = divisor(top, bottom) * (bottom < 0n ? -1n : 1n);
  const exact = [top / common, bottom / common] as const;
  return { exact, approximate: quotient(...exact) };
}

/** A number that is not known exactly; throws `NoValue` where it is no finite number. */
export function inexact(value: number): Real {
  if (!Number.isFinite(value)) throw new NoValue("no finite real number");
  return { approximate: value };
}

/** A decimal as it is written, exactly. */
export function decimal(text: string): Real {
  const [whole = "", part = ""] = text.split(".");
  return fraction(BigInt(`${whole}${part}` || "0"), 10n ** BigInt(part.length));
}

/** The sum. */
export function plus({ exact: a, approximate: x }: Real, { exact: b, approximate: y }: Real): Real {
  return a !== undefined && b !== undefined ? fraction(a[0] * b[1] + b[0] * a[1], a[1] * b[1]) : inexact(x + y);
}

/** The negated number. */
export const negative = ({ exact, approximate }: Real): Real =>
  exact === undefined ? inexact(-approximate) : fraction(-exact[0], exact[1]);

/** The product. */
export function times({ exact: a, approximate: x }: Real, { exact: b, approximate: y }: Real): Real {
  return a !== undefined && b !== undefined ? fraction(a[0] * b[0], a[1] * b[1]) : inexact(x * y);
}

/** One over the number. */
export function inverse({ exact, approximate }: Real): Real {
  if (exact !== undefined) return fraction(exact[1], exact[0]);
  return inexact(1 / approximate);
}

/** The whole root of a whole number that has one. */
function wholeRoot(value: bigint, degree: bigint): bigint | undefined {
  if (value < 0n) {
    if (degree % 2n === 0n) return undefined;
    const positive = wholeRoot(-value, degree);
    return positive === undefined ? undefined : -positive;
  }
  if (value < 2n) return value;
  let low = 1n;
  let high = 1n << BigInt(Math.ceil(bitsOf(value) / Number(degree)) + 1);
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** degree <= value) low = middle;
    else high = middle - 1n;
  }
  return low ** degree === value ? low : undefined;
}

/** The real root of a whole degree; throws `NoValue` where there is none. */
export function root(value: Real, degree: number): Real {
  if (!Number.isInteger(degree) || degree < 1 || degree > 1000) throw new NoValue("no such root");
  const { exact, approximate } = value;
  if (exact !== undefined && bitsOf(exact[0]) < 5000 && bitsOf(exact[1]) < 5000) {
    const [top, bottom] = exact.map((part) => wholeRoot(part, BigInt(degree)));
    if (top !== undefined && bottom !== undefined) return fraction(top, bottom);
  }
  if (approximate < 0 && degree % 2 === 0) throw new NoValue("root of a negative number");
  return inexact(Math.sign(approximate) * Math.abs(approximate) ** (1 / degree));
}

/** A whole power of a fraction, exactly. */
function wholePower([top, bottom]: readonly [bigint, bigint], exponent: bigint): Real {
  const size = absolute(exponent);
  if (top === 0n && exponent < 0n) throw new NoValue("division by zero");
  const isUnit = bottom === 1n && absolute(top) <= 1n;
  if (isUnit) return fraction(size === 0n ? 1n : top ** (2n - (size % 2n)));
  if (size * BigInt(Math.max(bitsOf(top), bitsOf(bottom))) > BigInt(mostBits)) throw new NoValue("too large");
  return exponent < 0n ? fraction(bottom ** size, top ** size) : fraction(top ** size, bottom ** size);
}

/** A power: exact for whole exponents and perfect roots. */
export function power(base: Real, exponent: Real): Real {
  const [b, e] = [base.exact, exponent.exact];
  const isWhole = e?.[1] === 1n;
  if (b !== undefined && e !== undefined && isWhole) return wholePower(b, e[0]);
  if (b !== undefined && e !== undefined && e[1] <= 1000n) {
    return power(root(base, Number(e[1])), fraction(e[0]));
  }
  if (base.approximate < 0 && !isWhole) throw new NoValue("power of a negative number");
  return inexact(base.approximate ** exponent.approximate);
}

/** The product 1·2·…·n. */
export function factorial({ exact }: Real): Real {
  if (exact === undefined || exact[1] !== 1n || exact[0] < 0n || exact[0] > 3000n) throw new NoValue("no factorial");
  let product = 1n;
  for (let factor = 2n; factor <= exact[0]; factor++) product *= factor;
  return fraction(product);
}

/** The number of ways to choose `k` of `n`. */
export function binomial({ exact: n }: Real, { exact: k }: Real): Real {
  if (n === undefined || k === undefined || n[1] !== 1n || k[1] !== 1n) throw new NoValue("no binomial");
  if (k[0] < 0n || n[0] < k[0] || n[0] > 5000n) throw new NoValue("no binomial");
  let product = 1n;
  for (let step = 1n; step <= k[0]; step++) product = (product * (n[0] - k[0] + step)) / step;
  return fraction(product);
}

/** Relative difference up to which numbers that are not known exactly are the same. */
const tolerance = 1e-9;

/** Whether two numbers are the same: exactly where both are known exactly, else up to one part in 10⁹. */
export function sameReal(one: Real, other: Real): boolean {
  if (one.exact !== undefined && other.exact !== undefined) {
    return one.exact[0] === other.exact[0] && one.exact[1] === other.exact[1];
  }
  const [x, y] = [one.approximate, other.approximate];
  return Math.abs(x - y) <= tolerance * Math.max(Math.abs(x), Math.abs(y), 1e-3);
}

/** A form in which numbers that are the same are the same text. */
export function keyOfReal({ exact, approximate }: Real): string {
  if (exact !== undefined) return exact[1] === 1n ? String(exact[0]) : `${exact[0]}/${exact[1]}`;
  return Math.abs(approximate) < 1e-12 ? "0" : Number(approximate.toPrecision(9)).toString();
}
