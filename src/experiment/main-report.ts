// What the main comparison came to: accuracy, time and cost, beside the published accuracies.

import type { Figure, Section, Series, Table } from "../eval/findings.ts";
import { mainAccuracy, mainModels, mainSource, publishedName } from "./published.ts";
import { judgeColumns } from "./judging.ts";
import { allName, pooled } from "./pool.ts";
import { sourceLine } from "./report.ts";
import { amount, percent, pointOf, points, pOf, printed, pValue, seconds } from "./show.ts";
import { accuracyOf, armsOf, differenceOf, figure, holm, meanOf, ratioOf, right } from "./statistics.ts";
import type { Arms, Difference, Estimate } from "./statistics.ts";
import type { Sample } from "./sample.ts";
import { seatName } from "./teams.ts";
import type { Seat } from "./teams.ts";
import { voted } from "./vote.ts";

type Material = {
  readonly seats: readonly Seat[];
  readonly arms: Arms;
  readonly of: (seat: Seat) => readonly Sample[];
};

/** The seats of a comparison, and how many runs vote on an answer. */
export type Compared = { readonly seats: readonly Seat[]; readonly vote: number };

/** What the samples of `main` come to. */
export function mainSections(samples: readonly Sample[], compared: Compared): Section[] {
  const { seats, arms } = pooled({ seats: compared.seats, arms: armsOf(voted(samples, compared.vote)) });
  const material = { seats, arms, of: (seat: Seat) => arms.scored.get(seatName(seat)) ?? [] };
  return [accuracy(material), time(material), costs(material)];
}

const labels = ({ exam, arm }: Seat): [string, string, string] => [
  exam.benchmark.name,
  arm.protocol === "single" ? "–" : arm.topology,
  arm.protocol,
];

function publishedOf(seat: Seat, model: string): number | undefined {
  const benchmark = publishedName(seat.exam.benchmark.name);
  if (benchmark === undefined) return undefined;
  return mainAccuracy({ model, benchmark, topology: seat.arm.topology, protocol: seat.arm.protocol });
}

function accuracy(material: Material): Section {
  const { seats, arms, of } = material;
  const rows = seats.map((seat) => {
    const estimate = accuracyOf(of(seat));
    return [
      ...labels(seat),
      estimate?.items ?? 0,
      estimate?.n ?? 0,
      arms.failed.get(seatName(seat))?.length ?? 0,
      percent(estimate),
      ...mainModels.map((model) => printed(publishedOf(seat, model))),
    ];
  });
  const columns = ["benchmark", "topology", "protocol", "items", "n", "failed", "right, % [95 %]"];
  return {
    title: "Accuracy",
    text: [
      sourceLine(mainSource),
      ...(seats.some(({ exam }) => exam.benchmark.name === allName)
        ? ["All: every item of every benchmark counts alike here; published, every benchmark does."]
        : []),
    ],
    tables: [
      { title: "Right answers", columns: [...columns, ...mainModels.map((model) => `${model}, published`)], rows },
      differences(material),
    ],
    figures: accuracyFigures(material),
  };
}

/** Which protocol is compared with which, and what that isolates. */
const comparisons = [
  ["stream", "serial", "streaming: steps in calls of their own, and earlier"],
  ["stream", "segmented", "timing alone: the same calls and prompts"],
  ["segmented", "serial", "the calls alone: one a step"],
  ["serial", "single", "the team"],
  ["stream", "single", "the team, streaming"],
] as const;

type Pair = {
  readonly seat: Seat;
  readonly other: Seat;
  readonly isolates: string;
  readonly difference: Difference | null;
};

function comparedIn({ seats, of }: Material): Pair[] {
  return seats.flatMap((seat) =>
    comparisons.flatMap(([one, against, isolates]): Pair[] => {
      if (seat.arm.protocol !== one) return [];
      const other = seats.find(
        ({ exam, arm }) =>
          exam === seat.exam &&
          arm.protocol === against &&
          (against === "single" || arm.topology === seat.arm.topology),
      );
      if (other === undefined) return [];
      return [{ seat, other, isolates, difference: differenceOf(of(seat), of(other), right) }];
    }),
  );
}

function differences(material: Material): Table {
  const compared = comparedIn(material);
  const known = compared.filter(({ difference }) => difference !== null);
  const corrected = holm(known.map(({ difference }) => difference?.p ?? 1));
  const rows = compared.map((one) => {
    const { seat, other, isolates, difference } = one;
    const [model = ""] = mainModels;
    const [a, b] = [publishedOf(seat, model), publishedOf(other, model)];
    return [
      seat.exam.benchmark.name,
      seat.arm.topology,
      `${seat.arm.protocol} − ${other.arm.protocol}`,
      isolates,
      points(difference),
      pOf(difference),
      pValue(corrected[known.indexOf(one)]),
      a === undefined || b === undefined ? null : `${a >= b ? "+" : ""}${(a - b).toFixed(1)}`,
    ];
  });
  const columns = ["benchmark", "topology", "difference", "what it isolates", "points [95 %]", "p", "p, Holm"];
  return { title: "Paired differences", columns: [...columns, `${mainModels[0]}, published`], rows };
}

function accuracyFigures({ seats, of }: Material): Figure[] {
  const topologies = [...new Set(seats.flatMap(({ arm }) => (arm.protocol === "single" ? [] : [arm.topology])))];
  return topologies.map((topology): Figure => {
    const own = seats.filter(({ arm }) => arm.protocol === "single" || arm.topology === topology);
    const protocols = [...new Set(own.map(({ arm }) => arm.protocol))];
    const series = protocols.map((protocol): Series => ({
      name: protocol,
      points: own
        .filter(({ arm }) => arm.protocol === protocol)
        .flatMap((seat) => pointOf(seat.exam.benchmark.name, accuracyOf(of(seat)), 100)),
    }));
    const published = protocols.flatMap((protocol): Series[] => {
      const places = own.filter(({ arm }) => arm.protocol === protocol);
      const found = places.flatMap((seat) => {
        const value = publishedOf(seat, mainModels[0] ?? "");
        return value === undefined ? [] : [{ x: seat.exam.benchmark.name, y: value }];
      });
      return found.length === 0 ? [] : [{ name: `${protocol}, ${mainModels[0]}`, points: found, published: true }];
    });
    return {
      kind: "bar",
      title: `Right answers, ${topology}`,
      x: { label: "benchmark" },
      y: { label: "right answers, %" },
      series: [...series, ...published],
    };
  });
}

const serialOf = (seat: Seat, seats: readonly Seat[]): Seat | undefined =>
  seats.find(({ exam, arm }) => exam === seat.exam && arm.topology === seat.arm.topology && arm.protocol === "serial");

/** How much sooner a seat's runs end than those of the serial protocol. */
const speedUpOf = (seat: Seat, { seats, of }: Material): Estimate | null => {
  const serial = serialOf(seat, seats);
  return serial === undefined ? null : ratioOf(of(serial), of(seat), figure("ms"));
};

function time(material: Material): Section {
  const { seats, of } = material;
  const rows = seats.map((seat) => {
    const own = of(seat);
    const speedUp = speedUpOf(seat, material);
    const bound = meanOf(own, figure("bound"));
    return [
      ...labels(seat),
      seconds(meanOf(own, figure("ms"))),
      amount(speedUp),
      amount(meanOf(own, figure("selfReferenced"))),
      bound === null ? null : Number(bound.value.toFixed(2)),
      speedUp === null || bound === null ? null : `${((100 * speedUp.value) / bound.value).toFixed(0)} %`,
    ];
  });
  const columns = [
    "benchmark",
    "topology",
    "protocol",
    "wall time, s",
    "speed-up over serial",
    "self-referenced",
    "bound",
    "share of bound",
  ];
  const scatter: Figure = {
    kind: "scatter",
    title: "Time and accuracy",
    x: { label: "wall time, s", log: true },
    y: { label: "right answers, %" },
    series: [...new Set(seats.map(({ arm }) => arm.protocol))].map((protocol) => ({
      name: protocol,
      points: seats
        .filter(({ arm }) => arm.protocol === protocol)
        .flatMap((seat) => {
          const ms = meanOf(of(seat), figure("ms"));
          const at = ms === null ? [] : pointOf(ms.value / 1000, accuracyOf(of(seat)), 100);
          return at.map((point) => ({ ...point, label: `${seat.exam.benchmark.name} ${seat.arm.topology}` }));
        }),
    })),
  };
  return {
    title: "Time",
    text: [
      "Speed-up over serial: the wall time of the serial runs over that of these, on the same items. Self-referenced, as the paper has it: the time this " +
        "run's own calls would have taken one agent after another, over its wall time; it flatters a protocol that makes more calls. Bound: A·S/(S+A−1).",
    ],
    tables: [{ title: "Time", columns, rows }],
    figures: [scatter],
  };
}

function costs(material: Material): Section {
  const { seats, of } = material;
  const against = (seat: Seat, name: string): Estimate | null => {
    const serial = serialOf(seat, seats);
    return serial === undefined || serial === seat ? null : ratioOf(of(seat), of(serial), figure(name));
  };
  const whole = (seat: Seat, name: string): number | null => {
    const mean = meanOf(of(seat), figure(name));
    return mean === null ? null : Number(mean.value.toPrecision(4));
  };
  const all = seats.flatMap((seat) => of(seat));
  const judged = judgeColumns(
    all,
    seats.flatMap(({ exam }) => exam.judge ?? []),
  );
  const rows = seats.map((seat) => [
    ...labels(seat),
    ...["calls", "input", "cached", "output"].map((name) => whole(seat, name)),
    amount(against(seat, "output")),
    amount(against(seat, "input")),
    amount(meanOf(of(seat), figure("cost"))),
    amount(against(seat, "cost")),
    ...judged.cells(of(seat)),
  ]);
  const columns = [
    "benchmark",
    "topology",
    "protocol",
    "calls",
    "input",
    "cached",
    "output",
    "output over serial",
    "input over serial",
  ];
  const currency = all.find((sample) => sample.currency !== undefined)?.currency;
  const money = currency ?? "no price is known";
  return {
    title: "Cost",
    text: [
      "Tokens are means a run. Costs that count output alone hide that a call a step reads its context again each time.",
      ...(judged.columns.length > 0
        ? ["Judge: what grading took of a judge model, a mean a run; it is in no other column."]
        : []),
    ],
    tables: [
      {
        title: "Tokens and money",
        columns: [...columns, `cost, ${money}`, "cost over serial", ...judged.columns],
        rows,
      },
    ],
  };
}
