// How far probabilities can be believed.

/** One bin of a reliability table: probabilities from `low` to `high`, their mean, and how often the label was 1. */
export type Bin = {
  readonly low: number;
  readonly high: number;
  readonly count: number;
  readonly predicted: number;
  readonly observed: number;
};

/** How far probabilities are from what was observed. */
export type Calibration = {
  /** Mean squared error of the probabilities (Brier, 1950). */
  readonly brier: number;
  /** Mean distance of predicted and observed over the bins, by their counts: the expected calibration error. */
  readonly ece: number;
  readonly bins: readonly Bin[];
};

/** Checks probabilities against labels, in `count` bins of equal width; empty bins are left out. */
export function calibrationOf(probabilities: readonly number[], labels: readonly number[], count = 10): Calibration {
  const total = probabilities.length;
  const bins = Array.from({ length: count }, () => ({ count: 0, predicted: 0, observed: 0 }));
  let brier = 0;
  for (const [index, probability] of probabilities.entries()) {
    const label = labels[index] ?? 0;
    const bin = bins[Math.min(count - 1, Math.floor(probability * count))]!;
    bin.count++;
    bin.predicted += probability;
    bin.observed += label;
    brier += (probability - label) ** 2 / total;
  }
  const table = bins.flatMap((bin, index): Bin[] =>
    bin.count === 0
      ? []
      : [
          {
            low: index / count,
            high: (index + 1) / count,
            count: bin.count,
            predicted: bin.predicted / bin.count,
            observed: bin.observed / bin.count,
          },
        ],
  );
  const ece = table.reduce((sum, bin) => sum + (bin.count / total) * Math.abs(bin.predicted - bin.observed), 0);
  return { brier, ece, bins: table };
}
