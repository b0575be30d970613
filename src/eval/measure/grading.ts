// Answers to puzzles, alone and after hearing steps of which it is known which are right.

import { random, subseed } from "../../base/random.ts";
import type { Random } from "../../base/random.ts";
import { heardMessage, rolePrompts } from "../../core/prompts.ts";
import { byDelimiter, splitText } from "../../core/splitters.ts";
import type { Choice, Message, Model, ModelPart, ModelRequest, Step } from "../../core/types.ts";
import type { Asking } from "./asking.ts";
import type { MeasuredQuality } from "./profile.ts";
import { judgedBy, rightSum, rightTotal, sumPuzzle } from "./puzzles.ts";
import type { Puzzle, Verify } from "./puzzles.ts";
import { masks, qualityOf, shareOf } from "./quality.ts";
import type { Graded } from "./quality.ts";

/** What is asked, and who says whether a step is right: a function that knows, or else a model. */
export type Grading = {
  /** Makes puzzles of so many steps; default: running sums. */
  readonly puzzle?: ((next: Random, steps: number) => Puzzle) | undefined;
  /** Exact; default: sums are added up, where puzzles are running sums. */
  readonly verify?: Verify | undefined;
  /** Judges steps where there is no `verify`; its agreement with the puzzles' own steps is measured. Its tokens count. */
  readonly judge?: Model | undefined;
};

type Phase = Grading & {
  readonly until: number;
  readonly seed: number;
  readonly steps: number;
  readonly tell: () => void;
};

type Judging = { readonly verify: Verify; readonly name: string; readonly asked: boolean };

/** The judge's tokens count as well. */
const counted = (judge: Model, asking: Asking): Model => {
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    for await (const part of judge.stream(request)) {
      if (part.type === "end") asking.spend(part.usage);
      yield part;
    }
  }
  const choose = async (request: ModelRequest, options: readonly string[]): Promise<Choice> => {
    const choice = await judge.choose!(request, options);
    asking.spend(choice.usage);
    return choice;
  };
  return { id: judge.id, stream, ...(judge.choose === undefined ? {} : { choose }) };
};

function judgingOf({ verify, judge, puzzle }: Grading, asking: Asking): Judging {
  const { model } = asking;
  if (verify !== undefined) return { verify, name: "exact", asked: false };
  const asked = judge ?? (puzzle === undefined ? undefined : model);
  if (asked !== undefined) return { verify: judgedBy(counted(asked, asking)), name: asked.id, asked: true };
  // A simulated model makes up numbers of its own.
  return { verify: model.simulated === true ? rightSum : rightTotal, name: "exact", asked: false };
}

/** What the listener is sent: the task, and after it the steps of the mask, where there are any. */
function requestOf(puzzle: Puzzle, mask: string): readonly Message[] {
  const steps = puzzle.right.length;
  const [solver, reviewer] = rolePrompts("chain", { agents: 2, steps });
  const heard = mask.split("").map((right, index): Step => {
    const text = (right === "1" ? puzzle.right : puzzle.wrong)[index] ?? "";
    return { type: "step", at: 0, seq: 0, turn: 0, agent: solver!.id, index, text };
  });
  const task = heard.length === 0 ? `Task:\n${puzzle.task}` : heardMessage(heard, { task: puzzle.task });
  const { instructions } = heard.length === 0 ? solver! : reviewer!;
  return [
    { role: "system", content: instructions },
    { role: "user", content: task },
  ];
}

const count = (mask: string, sign: string): number => mask.split(sign).length - 1;

/** Grades answers until the budget is spent: as many alone as after all masks together, in random order. */
export async function grade(asking: Asking, phase: Phase): Promise<MeasuredQuality | undefined> {
  const { until, seed, steps, tell, puzzle: make = sumPuzzle } = phase;
  const next = random(subseed(seed, "quality"));
  const { verify, name, asked } = judgingOf(phase, asking);
  const answers: Graded[] = [];
  const known = { agreed: 0, all: 0 };
  const all = masks(steps);
  let dearest = 0;
  for (let round = 0; round < 500 && asking.tokens + dearest <= until; round++) {
    const turns = all.flatMap((mask) => [mask, ""]).map((mask) => ({ mask, place: next() }));
    for (const { mask } of turns.toSorted((a, b) => a.place - b.place)) {
      const before = asking.tokens;
      if (before + dearest > until) break;
      const puzzle = make(next, steps);
      const answer = await asking.ask({ messages: requestOf(puzzle, mask), seed: Math.floor(next() * 2 ** 30) });
      if (answer === undefined) continue;
      const said = splitText(byDelimiter(), answer.text);
      const verdicts: (boolean | undefined)[] = [];
      for (const [index, text] of said.slice(0, steps).entries())
        verdicts.push(await asking.tolerate(async () => verify(text, { puzzle, index }, asking.signal)));
      answers.push({ heard: { right: count(mask, "1"), wrong: count(mask, "0") }, steps: verdicts });
      if (asked) await agree({ asking, verify, puzzle, next }, known);
      dearest = Math.max(dearest, asking.tokens - before);
    }
    tell();
  }
  const agreement = asked ? shareOf(known.agreed, known.all) : null;
  return qualityOf(answers, { steps, judge: { name, agreement } });
}

type Known = { readonly asking: Asking; readonly verify: Verify; readonly puzzle: Puzzle; readonly next: Random };

/** Shows the judge a step of which the truth is known. */
async function agree({ asking, verify, puzzle, next }: Known, known: { agreed: number; all: number }): Promise<void> {
  const index = Math.floor(next() * puzzle.right.length);
  const truth = next() < 0.5;
  const text = (truth ? puzzle.right : puzzle.wrong)[index] ?? "";
  const verdict = await asking.tolerate(async () => verify(text, { puzzle, index }, asking.signal));
  if (verdict === undefined) return;
  known.all++;
  if (verdict === truth) known.agreed++;
}
