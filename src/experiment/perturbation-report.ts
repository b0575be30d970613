// What right and wrong steps did to the listener: accuracy by mask, and δ and ε of theorem 1.

import type { Figure, Section, Table } from "../eval/findings.ts";
import { qualityOf } from "../eval/measure/quality.ts";
import { breakEven } from "../theory/effect.ts";
import type { TeamArm } from "./team.ts";
import { perturbation, perturbationSource } from "./published.ts";
import { sourceLine } from "./report.ts";
import type { Sample } from "./sample.ts";
import { percent, pointOf, points, pOf, pValue } from "./show.ts";
import { accuracyOf, armsOf, differenceOf, holm, meanOf, right } from "./statistics.ts";
import type { Reading } from "./statistics.ts";

/** A listener alone, or hearing a mask under a protocol. */
export type MaskArm = { readonly id: string; readonly mask: string; readonly protocol: TeamArm["protocol"] };

type Asked = { readonly arms: readonly MaskArm[]; readonly masks: readonly string[]; readonly steps: number };

/** The share of the listener's steps that are right. */
const stepShare: Reading = ({ figures: { judgedSteps = 0, rightSteps = 0 } }) =>
  judgedSteps === 0 ? undefined : rightSteps / judgedSteps;

type Of = (id: string) => readonly Sample[];

/** What the samples of `perturbation` come to. */
export function perturbationSections(samples: readonly Sample[], asked: Asked): Section[] {
  const arms = armsOf(samples);
  const of: Of = (id) => arms.scored.get(id) ?? [];
  return [byMask(of, asked), effects(of, asked)];
}

function byMask(of: Of, { masks }: Asked): Section {
  const differences = masks.map((mask) => differenceOf(of(`${mask} stream`), of(`${mask} serial`), right));
  const corrected = holm(differences.map((difference) => difference?.p ?? 1));
  const rows = masks.map((mask, index) => {
    const [serial, stream] = [of(`${mask} serial`), of(`${mask} stream`)];
    const published = perturbation.find(([name]) => name === mask);
    return [
      mask,
      serial.length,
      percent(accuracyOf(serial)),
      percent(accuracyOf(stream)),
      points(differences[index] ?? null),
      pOf(differences[index] ?? null),
      pValue(corrected[index]),
      percent(meanOf(serial, stepShare)),
      percent(meanOf(stream, stepShare)),
      published === undefined ? null : `${published[1]} / ${published[2]}`,
    ];
  });
  const alone = of("alone");
  const columns = ["mask", "n", "serial, % [95 %]", "stream, % [95 %]", "stream − serial, points", "p", "p, Holm"];
  const more = ["right steps, serial", "right steps, stream", "published serial / stream"];
  const none = [null, null, null];
  const aloneRow = [
    "alone",
    alone.length,
    percent(accuracyOf(alone)),
    ...none,
    null,
    percent(meanOf(alone, stepShare)),
    null,
    null,
  ];
  return {
    title: "Accuracy of the listener by mask",
    text: [
      sourceLine(perturbationSource),
      "A mask says which steps of the first agent were right (1) and which were wrong on purpose (0). The published masks are on one constructed question, ours on running sums.",
    ],
    tables: [{ title: "By mask", columns: [...columns, ...more], rows: [aloneRow, ...rows] }],
    figures: [bars(of, masks)],
  };
}

function bars(of: Of, masks: readonly string[]): Figure {
  const sides = ["serial", "stream"] as const;
  return {
    kind: "bar",
    title: "Accuracy of the listener by mask",
    x: { label: "mask" },
    y: { label: "right answers, %" },
    series: [
      ...sides.map((side) => ({
        name: side,
        points: masks.flatMap((mask) => pointOf(mask, accuracyOf(of(`${mask} ${side}`)), 100)),
      })),
      ...sides.map((side, index) => ({
        name: side,
        points: perturbation
          .filter(([mask]) => masks.includes(mask))
          .map((row) => ({ x: row[0], y: index === 0 ? row[1] : row[2] })),
        published: true,
      })),
    ],
  };
}

const count = (mask: string, sign: string): number => mask.split(sign).length - 1;

/** Only whole answers that heard everything, or nothing, tell δ and ε: share right = base + δ · right heard − ε · wrong heard. */
function effects(of: Of, { masks, steps }: Asked): Section {
  const heard = [
    ...of("alone").map((sample) => ({ sample, mask: "" })),
    ...masks.flatMap((mask) => of(`${mask} serial`).map((sample) => ({ sample, mask }))),
  ];
  const answers = heard.map(
    ({
      sample: {
        figures: { judgedSteps = 0, rightSteps = 0 },
      },
      mask,
    }) => ({
      heard: { right: count(mask, "1"), wrong: count(mask, "0") },
      steps: Array.from({ length: judgedSteps }, (_, index) => index < rightSteps),
    }),
  );
  const quality = qualityOf(answers, { steps, judge: { name: "exact", agreement: null } });
  const title = "δ and ε";
  if (quality === undefined)
    return {
      title,
      text: [
        "The answers do not tell δ and ε: that takes whole answers, and masks that differ in right and in wrong steps.",
      ],
    };
  const { base, delta, epsilon } = quality;
  const row = (name: string, { value, low, high }: typeof base) => [
    name,
    value.toFixed(3),
    `${low.toFixed(3)} to ${high.toFixed(3)}`,
  ];
  const table: Table = {
    title: "From serial and alone: share of right steps = base + δ · right steps heard − ε · wrong steps heard",
    columns: ["", "value", "95 %"],
    rows: [row("base", base), row("δ", delta), row("ε", epsilon)],
  };
  const known = delta.value + epsilon.value > 0;
  const star = known ? breakEven({ delta: delta.value, epsilon: epsilon.value }).toFixed(2) : undefined;
  return {
    title,
    text: [
      star === undefined
        ? "Neither right nor wrong steps have an effect here."
        : `Break-even p* = ε/(δ+ε) = ${star}: hearing steps that are more often right than that helps (theorem 1). Stream beats serial where late steps are below it.`,
    ],
    tables: [table],
  };
}
