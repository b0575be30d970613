// Numbers of a plan in words.

import type { Estimate } from "../measure/profile.ts";

const digits = (value: number, count: number): string => String(Number(value.toPrecision(count)));

/** Milliseconds for people: `740 ms`, `12.3 s`. */
export const duration = (ms: number): string => (ms < 999.5 ? `${Math.round(ms)} ms` : `${digits(ms / 1000, 3)} s`);

/** A share of a time saved: `31 % sooner (28 to 34 %)`, `12 % later`, `as soon`. */
export function sooner(saved: Estimate): string {
  if (Math.abs(saved.value) < 0.005) return "no sooner";
  const percent = (share: number) => Math.round(Math.abs(share) * 100);
  const [near, far] = [percent(saved.low), percent(saved.high)].toSorted((a, b) => a - b);
  const told = `${percent(saved.value)} % ${saved.value > 0 ? "sooner" : "later"}`;
  const oneSided = saved.low > 0 === saved.high > 0;
  const range = oneSided
    ? `${near} to ${far} %`
    : `from ${percent(saved.low)} % later to ${percent(saved.high)} % sooner`;
  return near === far && oneSided ? told : `${told} (${range})`;
}

/** A factor of a cost: `at 1.8 times its cost`, `at its cost`. */
export function dearer(factor: Estimate | null): string {
  if (factor === null || !Number.isFinite(factor.value)) return "";
  return Math.abs(factor.value - 1) < 0.005 ? ", at its cost" : `, at ${digits(factor.value, 3)} times its cost`;
}

/** A difference of two probabilities in points: `, 2.4 points more right`. */
export function righter(gain: Estimate | null): string {
  if (gain === null) return "";
  const points = digits(Math.abs(gain.value) * 100, 2);
  if (Math.abs(gain.value) < 0.0005) return ", as often right";
  const unsure = gain.low <= 0 && gain.high >= 0 ? " (not sure)" : "";
  return `, ${points} points ${gain.value > 0 ? "more" : "less"} often right${unsure}`;
}
