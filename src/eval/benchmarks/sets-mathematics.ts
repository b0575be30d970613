// AIME and HMMT as MathArena publishes them.
import { filledOf, textOf, valueOf } from "./columns.ts";
import { gradeMathematics, voteMathematics } from "./mathematics.ts";
import type { Published } from "./published.ts";
import { aimeSample, hmmtSample } from "./samples/mathematics.ts";

const ids = ["problem_idx", "id", "ID", "problem_id"];
const problems = ["problem", "question", "Problem", "Question"];
const answers = ["answer", "Answer", "expected_answer"];

const request = "Reason step by step, and put your final answer within \\boxed{}.";

type Set = Pick<Published<null>, "title" | "repository" | "sample">;

const contest = ({ title, repository, sample }: Set, form: string): Published<null> => ({
  title,
  repository,
  sample,
  files: /^(?:data\/)?train-.*\.parquet$/,
  gated: false,
  license: "CC BY-NC-SA 4.0",
  columns: [...ids, ...problems, ...answers],
  read(row, { number }) {
    const id = valueOf(row, ids) === undefined ? String(number) : filledOf(row, ...ids);
    const answer = textOf(row, ...answers);
    if (answer === "") return { id, why: "it has no answer" };
    return { id, prompt: `${filledOf(row, ...problems)}\n\n${form}${request}`, answer, data: null };
  },
  grader: ({ algebra }) => ({
    grade: ({ answer }, text, signal) => gradeMathematics(answer, text, { algebra, signal }),
    vote: (_item, text) => voteMathematics(text),
  }),
});

const whole = "The answer is a whole number from 0 to 999. ";

export const aime2025 = contest(
  { title: "AIME 2025, parts I and II", repository: "MathArena/aime_2025", sample: aimeSample },
  whole,
);

export const aime2026 = contest(
  { title: "AIME 2026, parts I and II", repository: "MathArena/aime_2026", sample: aimeSample },
  whole,
);

export const hmmt2026 = contest(
  { title: "HMMT February 2026", repository: "MathArena/hmmt_feb_2026", sample: hmmtSample },
  "",
);
