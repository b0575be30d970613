// Cost against accuracy: protocol × majority vote of N × caches counted or not, as in StreamMA (arXiv 2606.05158).

import { ConfigError } from "../base/errors.ts";
import type { Figure, Section, Series } from "../eval/findings.ts";
import { pareto, paretoSource } from "./published.ts";
import { assemble, isAlone, onlyExam, sourceLine, toldOf } from "./report.ts";
import type { Sample } from "./sample.ts";
import type { Basis, Part, Setup } from "./setup.ts";
import { amount, percent, points, pOf, seconds } from "./show.ts";
import { accuracyOf, armsOf, differenceOf, figure, meanOf, right } from "./statistics.ts";
import type { Estimate } from "./statistics.ts";
import { seatName, teamCells } from "./teams.ts";
import type { Seat } from "./teams.ts";
import { voted } from "./vote.ts";

/** The sizes of the votes. */
export type ParetoOptions = {
  /** Runs that vote; each item is run as often as the largest asks. */
  readonly votes: readonly number[];
};

/** The sizes of the paper. */
export const paretoDefaults: ParetoOptions = { votes: [1, 4, 16] };

/** `pareto`: single (whose votes are self-consistency), serial, segmented and stream; a chain on one benchmark. */
export function paretoExperiment(basis: Basis, { votes }: ParetoOptions): Setup {
  const runs = Math.max(...votes);
  const odd = votes.find((size) => runs % size !== 0);
  if (odd !== undefined) throw new ConfigError("votes", `${runs} runs make no whole votes of ${odd}`);
  const exam = onlyExam(basis, "pareto");
  const { agents, steps } = basis;
  const seats: Seat[] = [
    { exam, arm: { id: "single", topology: "single", agents: 1, steps, protocol: "single" } },
    ...(["serial", "segmented", "stream"] as const).map((protocol) => ({
      exam,
      arm: { id: protocol, topology: "chain", agents, steps, protocol } as const,
    })),
  ];
  const told = toldOf(basis, { name: "pareto", title: "Cost against accuracy", alone: isAlone(basis) });
  const sections: Part["sections"] = (samples) => [sectionOf(samples, { seats, votes, agents })];
  return assemble(told, [{ ...teamCells(seats, basis, runs * basis.repeats), sections }]);
}

type Asked = ParetoOptions & { readonly seats: readonly Seat[]; readonly agents: number };

/** One point: a protocol, a vote, and whether caches count. */
type Offer = {
  readonly protocol: string;
  readonly votes: number;
  readonly cache: boolean;
  readonly samples: readonly Sample[];
  readonly cost: Estimate | null;
  readonly accuracy: Estimate | null;
};

function offersOf(samples: readonly Sample[], { seats, votes }: Asked): Offer[] {
  return votes.flatMap((size) => {
    const arms = armsOf(voted(samples, size));
    return seats.flatMap((seat) => {
      const own = arms.scored.get(seatName(seat)) ?? [];
      return [false, true].map((cache): Offer => ({
        protocol: seat.arm.protocol,
        votes: size,
        cache,
        samples: own,
        cost: meanOf(own, figure(cache ? "cost" : "costUncached")),
        accuracy: accuracyOf(own),
      }));
    });
  });
}

/** Nobody of the same kind is cheaper and at least as often right, or as cheap and more often right. */
function isBest({ cost, accuracy, cache }: Offer, all: readonly Offer[]): boolean {
  if (cost === null || accuracy === null) return false;
  return !all.some(
    (other) =>
      other.cache === cache &&
      other.cost !== null &&
      other.accuracy !== null &&
      other.cost.value <= cost.value &&
      other.accuracy.value >= accuracy.value &&
      (other.cost.value < cost.value || other.accuracy.value > accuracy.value),
  );
}

const counted = (cache: boolean): string => (cache ? "counted" : "not counted");

function publishedOf({ protocol, votes, cache }: Offer): string | null {
  const found = pareto.find((row) => row[0] === protocol && row[1] === votes && row[2] === cache);
  return found === undefined ? null : `${found[3]} USD, ${found[4]} %`;
}

function sectionOf(samples: readonly Sample[], asked: Asked): Section {
  const offers = offersOf(samples, asked);
  const serial = (votes: number) => offers.find((offer) => offer.protocol === "serial" && offer.votes === votes);
  const rows = offers.map((offer) => {
    const against = offer.protocol === "serial" ? undefined : serial(offer.votes);
    const difference = against === undefined ? null : differenceOf(offer.samples, against.samples, right);
    return [
      offer.protocol,
      offer.votes,
      counted(offer.cache),
      offer.accuracy?.items ?? 0,
      offer.accuracy?.n ?? 0,
      amount(offer.cost),
      percent(offer.accuracy),
      points(difference),
      pOf(difference),
      seconds(meanOf(offer.samples, figure("ms"))),
      isBest(offer, offers) ? "yes" : "",
      publishedOf(offer),
    ];
  });
  const currency = samples.find((sample) => sample.currency !== undefined)?.currency ?? "";
  const columns = ["protocol", "votes", "caches", "items", "n", `cost, ${currency}`, "right, % [95 %]"];
  const more = ["points over serial", "p", "time, s", "on the front", "published"];
  return {
    title: "Cost and accuracy",
    text: [
      sourceLine(paretoSource),
      "Caches not counted: the same runs with all input at its full price. Votes are over runs of the same item, in whole groups; a vote costs the sum of its " +
        "runs and takes as long as the longest. One agent alone under a vote is self-consistency. On the front: nothing of the same kind is cheaper and as often right.",
    ],
    tables: [{ title: `A chain of ${asked.agents}`, columns: [...columns, ...more], rows }],
    figures: [plot(offers, currency)],
  };
}

function plot(offers: readonly Offer[], currency: string): Figure {
  const kinds = [...new Set(offers.map(({ protocol, cache }) => JSON.stringify([protocol, cache])))];
  const series = kinds.map((kind): Series => {
    const [protocol, cache] = JSON.parse(kind) as [string, boolean];
    const own = offers.filter((offer) => offer.protocol === protocol && offer.cache === cache);
    return {
      name: `${protocol}${cache ? ", cached" : ""}`,
      points: own.flatMap(({ cost, accuracy, votes }) => {
        if (cost === null || accuracy === null) return [];
        const { value, low, high } = accuracy;
        return [{ x: cost.value, y: 100 * value, low: 100 * low, high: 100 * high, label: `${votes}` }];
      }),
    };
  });
  const published = (["single", "serial", "stream"] as const).flatMap((protocol) =>
    [false, true].flatMap((cache): Series[] => {
      const found = pareto.filter((row) => row[0] === protocol && row[2] === cache);
      if (found.length === 0) return [];
      const at = found.map(([, votes, , x, y]) => ({ x, y, label: `${votes}` }));
      return [{ name: `${protocol}${cache ? ", cached" : ""}`, points: at, published: true }];
    }),
  );
  return {
    kind: "scatter",
    title: "Cost and accuracy",
    x: { label: `cost of a question, ${currency}`, log: true },
    y: { label: "right answers, %" },
    series: [...series, ...published],
  };
}
