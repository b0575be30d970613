// Majority voting, which over answers of one agent is self-consistency (Wang et al., arXiv 2203.11171).

import { isScored } from "./sample.ts";
import type { Sample } from "./sample.ts";

/** Where the first of the ballots that won stands; of equally many votes the answer given first wins. Undefined without a vote. */
export function majority(ballots: readonly (string | undefined)[]): number | undefined {
  const votes = new Map<string, { count: number; readonly first: number }>();
  for (const [index, ballot] of ballots.entries()) {
    if (ballot === undefined) continue;
    const own = votes.get(ballot);
    if (own === undefined) votes.set(ballot, { count: 1, first: index });
    else own.count++;
  }
  let best: { readonly count: number; readonly first: number } | undefined;
  for (const vote of votes.values()) if (best === undefined || vote.count > best.count) best = vote;
  return best?.first;
}

/** Figures that pass side by side; all others add up. */
const sideBySide = new Set(["ms", "selfReferenced", "bound"]);

function together(group: readonly Sample[], repeat: number): Sample {
  const [first] = group as [Sample, ...Sample[]];
  const winner = group[majority(group.map(({ answer }) => answer)) ?? 0] ?? first;
  const figures: Record<string, number> = {};
  for (const [name, value] of group.flatMap((sample) => Object.entries(sample.figures)))
    figures[name] = sideBySide.has(name) ? Math.max(figures[name] ?? 0, value) : (figures[name] ?? 0) + value;
  return { ...winner, repeat, figures };
}

/**
 * The samples in groups of `size` repeats, each as one sample: right where the answer that most of them gave is. Costs and tokens
 * add up; the time is the longest of the group, whose runs need not wait for each other. Repeats that make no whole group, and
 * groups with a failed run, are left out.
 */
export function voted(samples: readonly Sample[], size: number): Sample[] {
  if (size === 1) return [...samples];
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    if (!isScored(sample)) continue;
    const key = JSON.stringify([sample.arm, sample.item, Math.floor(sample.repeat / size)]);
    const own = groups.get(key);
    if (own === undefined) groups.set(key, [sample]);
    else own.push(sample);
  }
  return [...groups.values()]
    .filter(({ length }) => length === size)
    .map((group) => {
      const sorted = group.toSorted((one, other) => one.repeat - other.repeat);
      return together(sorted, Math.floor((sorted[0]?.repeat ?? 0) / size));
    });
}
