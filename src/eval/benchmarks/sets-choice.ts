// GPQA-Diamond and MMLU-Pro.
import { shuffled } from "../split.ts";
import { letterOf } from "../tasks/debate.ts";
import { questionColumns, questionOf } from "../tasks/questions-file.ts";
import { gradeChoice, listed, voteChoice } from "./choice.ts";
import { filledOf, textOf, valueOf } from "./columns.ts";
import type { Published } from "./published.ts";
import { gpqaSample, mmluSample } from "./samples/choice.ts";

/** The options as they are shown, and which of them is right. */
export type ChoiceData = { readonly options: readonly string[]; readonly right: number };

const promptOf = (question: string, options: readonly string[]): string =>
  `${question}\n\n${listed(options)}\n\nReason step by step, and end with a line "Answer: " and the letter of the right option.`;

const grader: Published<ChoiceData>["grader"] = () => ({
  grade: ({ data }, text) => Promise.resolve(gradeChoice(data.options, data.right, text)),
  vote: ({ data }, text) => voteChoice(data.options, text),
});

const wrongColumns = ["Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3"];

export const gpqaDiamond: Published<ChoiceData> = {
  title: "GPQA-Diamond",
  repository: "Idavidrein/gpqa",
  files: /^gpqa_diamond\.csv$/,
  gated: true,
  license: "CC BY 4.0; its authors ask not to publish examples",
  columns: ["Record ID", "Question", "Correct Answer", ...wrongColumns],
  sample: gpqaSample,
  read(row, { number, seed }) {
    const id = valueOf(row, ["Record ID"]) === undefined ? String(number) : filledOf(row, "Record ID");
    const answer = textOf(row, "Correct Answer");
    if (answer === "") return { id, why: "it has no answer" };
    const texts = [answer, ...wrongColumns.map((name) => filledOf(row, name))];
    if (new Set(texts).size < texts.length) return { id, why: "two of its options are the same" };
    // It is published with the right option first.
    const options = shuffled(texts, (text) => `${id} ${text}`, seed);
    const right = options.indexOf(answer);
    return {
      id,
      prompt: promptOf(filledOf(row, "Question"), options),
      answer: `${letterOf(right)}) ${answer}`,
      data: { options, right },
    };
  },
  grader,
};

export const mmluPro: Published<ChoiceData> = {
  title: "MMLU-Pro, test part",
  repository: "TIGER-Lab/MMLU-Pro",
  files: /^data\/test-.*\.parquet$/,
  gated: false,
  license: "MIT",
  columns: questionColumns,
  sample: mmluSample,
  read(row) {
    if (textOf(row, "answer", "answer_index") === "") {
      return { id: filledOf(row, "question_id", "id"), why: "it has no answer" };
    }
    const { id, question, options, answer: right } = questionOf(row);
    return {
      id,
      prompt: promptOf(question, options),
      answer: `${letterOf(right)}) ${options[right]}`,
      data: { options, right },
    };
  },
  grader,
};
