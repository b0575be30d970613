// Humanity's Last Exam.
import { gradeChoice, voteChoice } from "./choice.ts";
import { filledOf, textOf, valueOf } from "./columns.ts";
import { gradeJudged, voteText } from "./judged.ts";
import type { Published } from "./published.ts";
import { hleSample } from "./samples/hle.ts";

/** The question as it is published, and whether it is answered by a letter. */
export type HleData = { readonly question: string; readonly letter?: number | undefined };

// Its options are part of the question's text; only their letters are known.
const letters = Array.from({ length: 26 }, (_, index) => `option ${String.fromCodePoint(65 + index)}`);

const request = 'Reason step by step, and end with a line "Answer: " and your final answer, as short as it can be.';
const letterRequest = 'Reason step by step, and end with a line "Answer: " and the letter of the right option.';

export const hle: Published<HleData> = {
  title: "Humanity's Last Exam, questions without images",
  repository: "cais/hle",
  files: /^data\/test-.*\.parquet$/,
  gated: true,
  license: "MIT; its authors ask not to publish questions or answers",
  columns: ["id", "question", "image", "answer", "answer_type"],
  sample: hleSample,
  read(row) {
    const id = filledOf(row, "id");
    const image = valueOf(row, ["image"]);
    if (image !== undefined && image !== "") return { id, why: "it needs its image" };
    const answer = textOf(row, "answer");
    if (answer === "") return { id, why: "it has no answer" };
    const question = filledOf(row, "question");
    const isChoice = textOf(row, "answer_type") === "multipleChoice" && /^[A-Z]$/i.test(answer);
    const letter = isChoice ? answer.toUpperCase().charCodeAt(0) - 65 : undefined;
    return { id, prompt: `${question}\n\n${isChoice ? letterRequest : request}`, answer, data: { question, letter } };
  },
  grader: ({ judge }) => ({
    grade: ({ answer, data }, text, signal) =>
      data.letter === undefined
        ? gradeJudged({ question: data.question, right: answer }, text, { judge, signal })
        : Promise.resolve(gradeChoice(letters, data.letter, text)),
    vote: ({ data }, text) => (data.letter === undefined ? voteText(text) : voteChoice(letters, text)),
  }),
};
