// Each comparison in calls, tokens, time, money and correctness, against its base on the same items.

import type { Figure, Section, Table } from "../eval/findings.ts";
import type { Sample } from "./sample.ts";
import { amount, percent, pointOf, points, pOf, seconds } from "./show.ts";
import { accuracyOf, armsOf, differenceOf, figure, meanOf, ratioOf, right } from "./statistics.ts";
import { seatName } from "./teams.ts";
import type { Seat } from "./teams.ts";
import { voted } from "./vote.ts";

/** Arms against the base that isolates one thing. */
export type Control = {
  readonly title: string;
  readonly text: string;
  readonly base: Seat;
  readonly others: readonly Seat[];
  readonly selfReferenced?: boolean;
};

type Asked = { readonly controls: readonly Control[]; readonly seats: readonly Seat[]; readonly vote: number };
type Of = (seat: Seat) => readonly Sample[];

/** What the samples of teams in `controls` come to. */
export function controlSections(samples: readonly Sample[], { controls, seats, vote }: Asked): Section[] {
  const arms = armsOf(voted(samples, vote));
  const of: Of = (seat) => arms.scored.get(seatName(seat)) ?? [];
  return [...controls.map((control) => sectionOf(control, of)), money(seats, of)];
}

function sectionOf(control: Control, of: Of): Section {
  const { title, text, base, others, selfReferenced } = control;
  const against = of(base);
  const rows = [base, ...others].map((seat) => {
    const own = of(seat);
    const ratio = (name: string) => (seat === base ? null : amount(ratioOf(own, against, figure(name))));
    const difference = seat === base ? null : differenceOf(own, against, right);
    return [
      seat.arm.id,
      own.length,
      seconds(meanOf(own, figure("ms"))),
      seat === base ? null : amount(ratioOf(against, own, figure("ms"))),
      ...(selfReferenced === true ? [amount(meanOf(own, figure("selfReferenced")))] : []),
      amount(meanOf(own, figure("calls"))),
      ratio("calls"),
      ratio("input"),
      ratio("output"),
      ratio("cost"),
      percent(accuracyOf(own)),
      points(difference),
      pOf(difference),
    ];
  });
  const of1 = `of ${base.arm.id}'s`;
  const columns = ["arm", "n", "time, s", `speed-up over ${base.arm.id}`];
  const table: Table = {
    columns: [
      ...columns,
      ...(selfReferenced === true ? ["self-referenced"] : []),
      "calls",
      `calls, ${of1}`,
      `input, ${of1}`,
      `output, ${of1}`,
      `money, ${of1}`,
      "right, % [95 %]",
      "points",
      "p",
    ],
    rows,
  };
  const bars: Figure = {
    kind: "bar",
    title: `${title}: time`,
    x: { label: "arm" },
    y: { label: "wall time, s" },
    series: [
      {
        name: "wall time",
        points: [base, ...others].flatMap((seat) => pointOf(seat.arm.id, meanOf(of(seat), figure("ms")), 1 / 1000)),
      },
    ],
  };
  return { title, text: [text], tables: [table], figures: [bars] };
}

/** What counting output alone hides. */
function money(seats: readonly Seat[], of: Of): Section {
  const rows = seats.map((seat) => {
    const own = of(seat);
    const mean = (name: string) => amount(meanOf(own, figure(name)));
    const inputShare = meanOf(own, ({ figures: { cost, costOfOutput } }) =>
      cost === undefined || costOfOutput === undefined || cost === 0 ? undefined : 1 - costOfOutput / cost,
    );
    return [
      seat.arm.id,
      mean("output"),
      mean("input"),
      mean("cached"),
      mean("costOfOutput"),
      mean("cost"),
      mean("costUncached"),
      inputShare === null ? null : `${(100 * inputShare.value).toFixed(0)} %`,
    ];
  });
  return {
    title: "Input and cache beside output",
    text: [
      "Output alone is what both papers' costs mostly are. A protocol that calls once a step reads its context again each time: cheap with a cache, dear without one.",
    ],
    tables: [
      {
        columns: [
          "arm",
          "output tokens",
          "input tokens",
          "cached of it",
          "cost of output",
          "cost",
          "cost without a cache",
          "share of input in the cost",
        ],
        rows,
      },
    ],
  };
}
