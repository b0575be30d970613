// Questions of our own writing with the columns of Humanity's Last Exam. Far easier than the real ones.
import { lines } from "./lines.ts";

type Question = readonly [question: string, answer: string, type?: "multipleChoice"];

const questions: readonly Question[] = [
  ["Into how many regions do five lines in general position divide the plane?", "16"],
  ["Which chemical element has the highest melting point of all metals?", "Tungsten"],
  [
    "A word of seven different letters is written around a circle that can be turned but not flipped. How many arrangements of its letters are there?",
    "720",
  ],
  ["Which is the only even prime number?", "2"],
  [
    "Name the theorem that says that in a right triangle the squares over the legs add up to the square over the hypotenuse.",
    "Pythagorean theorem",
  ],
  ["In which phase of mitosis do the sister chromatids separate?", "Anaphase"],
  ["What is the smallest number of moves to carry a tower of five disks in the Towers of Hanoi?", "31"],
  ["Which planet of the Solar System turns about an axis that lies almost in the plane of its orbit?", "Uranus"],
  ["What is the name of the layer of the atmosphere that holds most of its ozone?", "Stratosphere"],
  [
    "Which of these graphs has a closed walk over each edge exactly once?\n\nAnswer Choices:\nA. the complete graph on four vertices\nB. the complete graph on five vertices\nC. a path of three edges\nD. a star of five edges",
    "B",
    "multipleChoice",
  ],
  [
    "Which of these sorts in the worst case with the fewest comparisons, up to a constant?\n\nAnswer Choices:\nA. bubble sort\nB. insertion sort\nC. quicksort with the first element as pivot\nD. selection sort\nE. merge sort",
    "E",
    "multipleChoice",
  ],
];

export const hleSample = lines(
  questions.map(([question, answer, answer_type = "exactMatch"], index) => ({
    id: `own-${index + 1}`,
    question,
    image: "",
    answer,
    answer_type,
    rationale: "",
    category: "Other",
  })),
);
