// Numbers with units: degrees, percent, lengths.
import { fraction, inexact, sameReal, times } from "./number.ts";
import type { Real } from "./number.ts";

/** How many of the first unit are in one of this, among units of one kind. */
const scales: readonly Readonly<Record<string, number>>[] = [
  { mm: 1, cm: 10, m: 1000, km: 1e6, in: 25.4, ft: 304.8 },
  { s: 1, min: 60, h: 3600 },
  { mg: 1, g: 1000, kg: 1e6 },
];

const names: readonly (readonly [RegExp, string])[] = [
  [/^(?:inch(?:es)?)$/, "in"],
  [/^(?:feet|foot)$/, "ft"],
  [/^(centi|milli|kilo)?met(?:er|re)s?$/, "m"],
  [/^(?:seconds?|secs?)$/, "s"],
  [/^minutes?$/, "min"],
  [/^(?:hours?|hrs?)$/, "h"],
  [/^kilograms?$/, "kg"],
  [/^grams?$/, "g"],
  [/^degrees?$/, "degree"],
  [/^(?:radians?|rad)$/, "radian"],
  [/^square (\w+)$/, "$1^2"],
  [/^sq\.? (\w+)$/, "$1^2"],
  [/^cubic (\w+)$/, "$1^3"],
];

function unitName(unit: string): string {
  const plain = unit.replaceAll(/[{}.]|(?<=\^) | (?=\^)/g, "");
  for (const [pattern, name] of names) {
    const found = pattern.exec(plain);
    if (found === null) continue;
    const prefix = name === "m" ? { centi: "c", milli: "m", kilo: "k" }[found[1] ?? ""] : undefined;
    const replaced = `${prefix ?? ""}${plain.replace(pattern, name)}`;
    return /\^/.test(replaced) ? replaced.replace(/^[^^]+/, (inner) => unitName(inner)) : replaced;
  }
  return plain.length > 3 ? plain.replace(/s$/, "") : plain;
}

const inUnits = (value: Real, percent: boolean): Real => (percent ? times(value, fraction(1n, 100n)) : value);
const angles = new Set(["degree", "radian", ""]);
const inRadians = (value: Real, unit: string): Real =>
  unit === "degree" ? times(value, inexact(Math.PI / 180)) : value;

/** A number and what it is counted in, if anything. */
export type Measure = { readonly value: Real; readonly unit?: string | undefined };

/** Numbers with units: the same number in the same unit, or converted; a unit that only one side has is left out. */
export function sameMeasure(right: Measure, given: Measure): boolean {
  const [one, other] = [right, given].map(({ unit = "" }) => unitName(unit)) as [string, string];
  const [x, y] = [right.value, given.value];
  const bare = one === "" || other === "" || one === other;
  if ((bare || one === "%" || other === "%") && sameReal(x, y)) return true;
  if (one === "%" || other === "%") return sameReal(inUnits(x, one === "%"), inUnits(y, other === "%"));
  if (angles.has(one) && angles.has(other)) return sameReal(inRadians(x, one), inRadians(y, other));
  const scale = scales.find((each) => each[one] !== undefined && each[other] !== undefined);
  return scale !== undefined && sameReal(times(x, inexact(scale[one] ?? 1)), times(y, inexact(scale[other] ?? 1)));
}
