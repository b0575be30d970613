import { humanities } from "./questions-humanities.ts";
import { sciences } from "./questions-sciences.ts";
import type { Question } from "./debate.ts";

// A data file writes a question as one line: `question | right | wrong | wrong | wrong`. The place of the right option
// goes around with the question's number, so that each letter is right equally often.
const read = (subject: string, text: string, offset: number): Question[] =>
  text
    .trim()
    .split("\n")
    .map((line, index) => {
      const [question = "", right = "", ...wrong] = line.split("|").map((part) => part.trim());
      const answer = (offset + index) % 4;
      const options = [...wrong.slice(0, answer), right, ...wrong.slice(answer)];
      return { id: `${subject.replaceAll(" ", "-")}-${index + 1}`, subject, question, options, answer };
    });

/** Our own questions: facts and small computations, four options each. */
export const ownQuestions: readonly Question[] = Object.entries({ ...sciences, ...humanities }).flatMap(
  ([subject, text], index) => read(subject, text, index),
);
