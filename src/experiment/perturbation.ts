// What a listener makes of right and wrong steps: the perturbation masks of StreamMA (arXiv 2606.05158), and δ and ε from them.

import { random, subseed } from "../base/random.ts";
import { rolePrompts } from "../core/prompts.ts";
import { byStep, splitText } from "../core/splitters.ts";
import type { Topology } from "../core/types.ts";
import type { Item } from "../eval/benchmarks/benchmark.ts";
import { rightSum, rightTotal, sumPuzzle } from "../eval/measure/puzzles.ts";
import type { Puzzle } from "../eval/measure/puzzles.ts";
import { loadVocabulary, recited } from "../eval/recited.ts";
import { contentOf, drawnFromSteps, sums } from "./grading.ts";
import type { Exam } from "./grading.ts";
import { perturbationSections } from "./perturbation-report.ts";
import type { MaskArm } from "./perturbation-report.ts";
import { assemble, toldOf } from "./report.ts";
import type { Cell } from "./sample.ts";
import type { Basis, Setup } from "./setup.ts";
import { playTeam } from "./team.ts";
import type { TeamArm } from "./team.ts";
import { workloadOf } from "./workload.ts";

/** Which steps are wrong on purpose, and in how many items. */
export type PerturbationOptions = {
  /** One sign a step: 1 is right, 0 is wrong. All of the same length. */
  readonly masks: readonly string[];
  readonly items: number;
};

/** The six masks of the paper, and all right and all wrong. */
export const perturbationMasks: readonly string[] = ["1111", "1110", "1100", "1000", "0111", "0011", "0001", "0000"];

/** An item whose every step is known, right and wrong. */
type Known = { readonly item: Item; readonly puzzle: Puzzle };

const knownItems = (count: number, steps: number, seed: number): Known[] =>
  Array.from({ length: count }, (_, index) => {
    const puzzle = sumPuzzle(random(subseed(seed, `perturbed ${index}`)), steps);
    const answer = /(\d+)$/.exec(puzzle.right.at(-1) ?? "")?.[1] ?? "";
    const prompt = `${puzzle.task} The last step ends with "Answer: " and the total.`;
    return { puzzle, item: { id: `sum-${index + 1}`, prompt, answer, data: puzzle } };
  });

/** What is said under a mask: each step in its right or its wrong version. */
const saidUnder = (mask: string, { right, wrong }: Puzzle): string =>
  mask
    .split("")
    .map((sign, index) => `${(sign === "1" ? right : wrong)[index]}\nEND_STEP\n`)
    .join("");

/** `perturbation`: the first of two agents says steps of which it is known which are right; the second is graded. */
export function perturbationExperiment(basis: Basis, { masks, items }: PerturbationOptions): Setup {
  const steps = masks[0]?.length ?? 0;
  const arms: MaskArm[] = [
    { id: "alone", mask: "", protocol: "single" },
    ...masks.flatMap((mask) =>
      (["serial", "stream"] as const).map((protocol) => ({ id: `${mask} ${protocol}`, mask, protocol })),
    ),
  ];
  const known = knownItems(items, steps, basis.seed);
  const { voice } = basis;
  const exam: Exam = {
    benchmark: voice.simulated ? drawnFromSteps(sums) : sums,
    items: known.map(({ item }) => item),
  };
  const own: Basis = { ...basis, exams: [exam], agents: 2, steps };
  const byItem = new Map(known.map((one) => [one.item.id, one]));
  const byArm = new Map(arms.map((arm) => [arm.id, arm]));
  const teamArm = ({ id, protocol }: MaskArm): TeamArm =>
    protocol === "single"
      ? { id, topology: "single", agents: 1, steps, protocol }
      : { id, topology: "chain", agents: 2, steps, protocol };
  const { repeats, seed, temperature, maxTokens } = own;
  const told = toldOf(own, { name: "perturbation", title: "Right and wrong steps heard", alone: false });
  return assemble(told, [
    {
      cells: cellsOf(arms, known, repeats),
      play: async (cell, signal) => {
        const { mask, ...arm } = byArm.get(cell.arm)!;
        const { item, puzzle } = byItem.get(cell.item)!;
        const manner = { voice, seed, temperature, maxTokens };
        const cast = mask === "" ? undefined : await speaking(mask, puzzle, steps);
        const inspect = (text: string) => stepsIn(text, { puzzle, simulated: voice.simulated });
        return playTeam({ arm: teamArm({ mask, ...arm }), exam, item, cell, manner, signal, cast, inspect });
      },
      workload: (cell) =>
        workloadOf(teamArm(byArm.get(cell.arm)!), { prompt: known[0]!.item.prompt, stepTokens: basis.stepTokens }),
      sections: (samples) => perturbationSections(samples, { arms, masks, steps }),
    },
  ]);
}

function cellsOf(arms: readonly MaskArm[], known: readonly Known[], repeats: number): Cell[] {
  const cells: Cell[] = [];
  for (let repeat = 0; repeat < repeats; repeat++)
    for (const { item } of known) {
      const of = contentOf(item);
      for (const { id } of arms) cells.push({ arm: id, item: item.id, of, repeat });
    }
  return cells;
}

/** Puts the masked steps in the mouth of the first of two agents. */
async function speaking(mask: string, puzzle: Puzzle, steps: number) {
  // Virtual time waits for timers only.
  await loadVocabulary();
  const [solver] = rolePrompts("chain", { agents: 2, steps });
  const model = recited([saidUnder(mask, puzzle)]);
  return (team: Topology): Topology => ({
    ...team,
    agents: team.agents.map((agent) => (agent.id === solver?.id ? { ...agent, model } : agent)),
  });
}

/** How many of the listener's steps could be judged, and how many of those are right. */
async function stepsIn(text: string, { puzzle, simulated }: { readonly puzzle: Puzzle; readonly simulated: boolean }) {
  const said = splitText(byStep(), text).slice(0, puzzle.right.length);
  let [judged, right] = [0, 0];
  for (const [index, step] of said.entries()) {
    const verdict = await (simulated ? rightSum : rightTotal)(step, { puzzle, index });
    if (verdict === undefined) continue;
    judged++;
    if (verdict) right++;
  }
  return { judgedSteps: judged, rightSteps: right };
}
