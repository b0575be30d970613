// When cutting in pays, as in HandRaiser (arXiv 2604.06452): tasks × policies × speakers × listeners × chunks.

import type { Figure, Findings, Section, Table } from "../eval/findings.ts";
import { interruption, interruptionSource, symmetric } from "./published.ts";
import { assemble, sourceLine } from "./report.ts";
import type { Sample } from "./sample.ts";
import type { Setup } from "./setup.ts";
import { amount, percent, pointOf, points, pOf, seconds } from "./show.ts";
import { accuracyOf, armsOf, differenceOf, figure, meanOf, ratioOf, right } from "./statistics.ts";
import type { Estimate } from "./statistics.ts";
import { sceneName, talkCells, talkName } from "./talks.ts";
import type { Scene, TalksOptions } from "./talks.ts";

/** The conversations, and what the report says of where they come from. */
export type InterruptionOptions = TalksOptions & {
  readonly provenance: Findings["provenance"];
  readonly identity: Setup["identity"];
  readonly simulated: boolean;
  readonly notes?: readonly string[] | undefined;
};

/** `interruption`: each scene with all its policies; `never` is what they are measured against. */
export function interruptionExperiment(options: InterruptionOptions): Setup {
  const { scenes, provenance, identity, simulated, notes = [] } = options;
  const title = "When cutting in pays";
  const told = { name: "interruption", title, identity, simulated, provenance, notes };
  const sections = (samples: readonly Sample[]) => talkSections(samples, scenes);
  return assemble(told, [{ ...talkCells(options), sections }]);
}

type Of = (scene: Scene, policy: string) => readonly Sample[];

/** What conversations come to: all scenes, and what changes with chunk, task and speaker where there are several. */
export function talkSections(samples: readonly Sample[], scenes: readonly Scene[]): Section[] {
  const arms = armsOf(samples);
  const of: Of = (scene, policy) => arms.scored.get(talkName(scene, policy)) ?? [];
  const failed = (scene: Scene, policy: string) => arms.failed.get(talkName(scene, policy))?.length ?? 0;
  return [
    {
      title: "Policies",
      text: [
        sourceLine(interruptionSource),
        "Cost: generated tokens, as published: spoken, overrun, decided and replied. Of never's: over hearing everything, on the same samples; below 1 is less.",
        ...(scenes.some((scene) => scene.symmetric)
          ? [
              `Symmetric, published: everybody may cut in on meetings; cost ${symmetric.cost[0]} without and ${symmetric.cost[1]} with it, success ${symmetric.success[1]}.`,
            ]
          : []),
      ],
      tables: scenes.map((scene) => sceneTable(scene, of, failed)),
      figures: [costFigure(scenes, of)],
    },
    ownCost(scenes, of),
    ...chunks(scenes, of),
    ...transfer(scenes, of),
  ];
}

/** What is published for a policy on a task: success and cost. */
function publishedOf(task: string, policy: string): string | null {
  const row = interruption.find(([name, arm]) => task.split(/[: ]/, 1)[0] === name && arm === policy);
  const never = interruption.find(([name, arm]) => name === row?.[0] && arm === "never");
  if (row === undefined || never === undefined) return null;
  return `${(100 * row[2]).toFixed(1)} %, ${row[3]} tokens, ${(row[3] / never[3]).toFixed(2)} of never's`;
}

const versus = (one: readonly Sample[], never: readonly Sample[], name: string): Estimate | null =>
  ratioOf(one, never, figure(name));

function sceneTable(scene: Scene, of: Of, failed: (scene: Scene, policy: string) => number): Table {
  const never = of(scene, "never");
  const rows = scene.arms.map(({ name }) => {
    const own = of(scene, name);
    const difference = name === "never" ? null : differenceOf(own, never, right);
    const cuts = own.reduce((sum, { figures }) => sum + (figures["cuts"] ?? 0), 0);
    const share = (part: string): string | null =>
      cuts === 0
        ? null
        : `${((100 * own.reduce((sum, { figures }) => sum + (figures[part] ?? 0), 0)) / cuts).toFixed(0)} %`;
    return [
      name,
      own.length,
      failed(scene, name),
      percent(accuracyOf(own)),
      points(difference),
      pOf(difference),
      amount(meanOf(own, figure("total"))),
      name === "never" ? null : amount(versus(own, never, "total")),
      cuts,
      share("wrongCuts"),
      share("firstChunkCuts"),
      publishedOf(scene.task, name),
    ];
  });
  const columns = [
    "policy",
    "n",
    "failed",
    "success, % [95 %]",
    "points against never",
    "p",
    "cost, tokens",
    "of never's",
  ];
  return {
    title: sceneName(scene),
    columns: [...columns, "cuts", "wrong", "at chunk 1", "published"],
    rows,
  };
}

function costFigure(scenes: readonly Scene[], of: Of): Figure {
  const policies = [...new Set(scenes.flatMap(({ arms }) => arms.map(({ name }) => name)))];
  return {
    kind: "scatter",
    title: "Cost and success",
    x: { label: "generated tokens a conversation", log: true },
    y: { label: "success, %" },
    series: policies.map((policy) => ({
      name: policy,
      points: scenes.flatMap((scene) => {
        const cost = meanOf(of(scene, policy), figure("total"));
        if (cost === null) return [];
        return pointOf(cost.value, accuracyOf(of(scene, policy)), 100).map((point) => ({
          ...point,
          label: sceneName(scene),
        }));
      }),
    })),
  };
}

/** The price of deciding, which counting generated tokens hides. */
function ownCost(scenes: readonly Scene[], of: Of): Section {
  const rows = scenes.flatMap((scene) =>
    scene.arms.map(({ name }) => {
      const own = of(scene, name);
      const never = of(scene, "never");
      const mean = (part: string) => {
        const found = meanOf(own, figure(part));
        return found === null ? null : Number(found.value.toPrecision(3));
      };
      const against = (part: string) => (name === "never" ? null : amount(versus(own, never, part)));
      return [
        sceneName(scene),
        name,
        mean("decisions"),
        mean("decisionInput"),
        mean("decisionCached"),
        mean("decisionMs"),
        against("total"),
        against("tokens"),
        against("cost"),
        against("ms"),
        seconds(meanOf(own, figure("ms"))),
      ];
    }),
  );
  const columns = ["scene", "policy", "decided, tokens", "read to decide", "cached of it", "deciding, ms"];
  const ratios = [
    "generated, of never's",
    "all tokens, of never's",
    "money, of never's",
    "time, of never's",
    "time, s",
  ];
  return {
    title: "What deciding costs itself",
    text: [
      "A decision mostly reads. Generated tokens (the published cost) leave that out; all tokens, money and time do not. A policy has paid for itself where the whole interval is below 1, and success is not lower.",
    ],
    tables: [{ title: "The policy's own cost", columns: [...columns, ...ratios], rows }],
  };
}

/** How the cost changes with the chunk, where several were played. */
function chunks(scenes: readonly Scene[], of: Of): Section[] {
  const base = (scene: Scene) => sceneName({ ...scene, chunk: 0 });
  const groups = [...new Set(scenes.map(base))].map((name) => scenes.filter((scene) => base(scene) === name));
  const swept = groups.filter((group) => group.length > 1);
  if (swept.length === 0) return [];
  const figures = swept.flatMap((group): Figure[] => {
    const policies = group[0]!.arms.map(({ name }) => name).filter((name) => name !== "never");
    const line = (title: string, label: string, value: (scene: Scene, policy: string) => Estimate | null): Figure => ({
      kind: "line",
      title,
      x: { label: "tokens of a chunk", log: true },
      y: { label },
      series: policies.map((policy) => ({
        name: policy,
        points: group
          .toSorted((a, b) => a.chunk - b.chunk)
          .flatMap((scene) => pointOf(scene.chunk, value(scene, policy))),
      })),
    });
    const where = group[0]!.task;
    return [
      line(`Cost by chunk, ${where}`, "generated tokens, of never's", (scene, policy) =>
        versus(of(scene, policy), of(scene, "never"), "total"),
      ),
      line(`Success by chunk, ${where}`, "success, share", (scene, policy) => accuracyOf(of(scene, policy))),
    ];
  });
  return [{ title: "Chunk sizes", text: ["How often a listener may decide."], figures }];
}

/** A policy on tasks, speakers and listeners it may not have been made for. */
function transfer(scenes: readonly Scene[], of: Of): Section[] {
  const kinds = ["task", "speaker", "listener"] as const;
  const tables = kinds.flatMap((kind): Table[] => {
    const values = [...new Set(scenes.map((scene) => scene[kind]))];
    if (values.length < 2) return [];
    const rest = (scene: Scene) => sceneName({ ...scene, [kind]: "" });
    const rows = [...new Set(scenes.map(rest))].flatMap((where) => {
      const own = scenes.filter((scene) => rest(scene) === where);
      const policies = [...new Set(own.flatMap(({ arms }) => arms.map(({ name }) => name)))];
      return policies
        .filter((policy) => policy !== "never")
        .map((policy) => [
          policy,
          where.replaceAll(/^ ?\| | \|(?= \|)/g, "").trim(),
          ...values.map((value) => {
            const scene = own.find((one) => one[kind] === value);
            if (scene === undefined) return null;
            const cost = amount(versus(of(scene, policy), of(scene, "never"), "total"));
            return `${cost ?? "–"}; ${points(differenceOf(of(scene, policy), of(scene, "never"), right)) ?? "–"}`;
          }),
        ]);
    });
    const title = `Across ${kind}s: cost, of never's [95 %]; points of success [95 %]`;
    return [{ title, columns: ["policy", "where", ...values], rows }];
  });
  if (tables.length === 0) return [];
  const text =
    "A learned policy or a chosen threshold belongs to the task and the speaker it was made on: its file or its name says which. Elsewhere it is a transfer.";
  return [{ title: "Transfer", text: [text], tables }];
}
