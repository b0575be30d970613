// What labelled points that were held out say, as sections of findings.

import type { Section } from "../eval/findings.ts";
import { payingCurve, reliabilityOf, savingCurve, successCurve } from "./curves.ts";
import type { Lesson } from "./lesson.ts";
import { places } from "./lesson-format.ts";

/** How far probabilities can be believed on points held out; nothing without weights. */
export function reliabilitySection({ held }: Pick<Lesson, "held">): Section[] {
  const found = Object.entries(held?.weights ?? {}).flatMap(([name, weights]) => {
    const calibration = reliabilityOf(held?.labels ?? [], weights);
    return calibration === undefined ? [] : [{ name, calibration }];
  });
  if (found.length === 0) return [];
  return [
    {
      title: "Can its probabilities be believed?",
      text: ["Of labelled places that were not trained on: what was predicted, and how often cutting did pay."],
      tables: found.map(({ name, calibration: { bins, brier, ece } }) => ({
        title: `${name}: Brier ${brier.toFixed(3)}, expected error ${ece.toFixed(3)}`,
        columns: ["from", "to", "places", "predicted", "observed"],
        rows: bins.map(({ low, high, count, predicted, observed }) => [
          low.toFixed(1),
          high.toFixed(1),
          count,
          places(predicted),
          places(observed),
        ]),
      })),
      figures: [
        {
          kind: "line",
          title: "Reliability",
          x: { label: "predicted probability that cutting pays" },
          y: { label: "observed share" },
          series: [
            { name: "perfect", points: [0, 1].map((x) => ({ x, y: x })) },
            ...found.map(({ name, calibration: { bins } }) => ({
              name,
              points: bins.map(({ predicted, observed }) => ({ x: predicted, y: observed })),
            })),
          ],
        },
      ],
    },
  ];
}

/** What a cut is worth by chunk, on points held out. */
export function curveSection({ held }: Pick<Lesson, "held">): Section[] {
  if (held === undefined || held.labels.length === 0) return [];
  const { labels } = held;
  const heard = { label: "chunks heard" };
  return [
    {
      title: "What a cut is worth",
      text: [`${labels.length} labelled places that were not trained on; 95 % intervals over samples.`],
      figures: [
        {
          kind: "line",
          title: "Tokens saved by cutting here",
          x: heard,
          y: { label: "generated tokens" },
          series: [{ name: "saved", points: savingCurve(labels) }],
        },
        {
          kind: "line",
          title: "Success of cutting here, less that of hearing all",
          x: heard,
          y: { label: "difference of shares" },
          series: [{ name: "success", points: successCurve(labels) }],
        },
        {
          kind: "line",
          title: "Where cutting pays",
          x: heard,
          y: { label: "share of places" },
          series: [{ name: "pays", points: payingCurve(labels) }],
        },
      ],
    },
  ];
}
