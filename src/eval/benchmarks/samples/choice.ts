// Questions of our own writing in the forms of GPQA and MMLU-Pro. Easier than the real ones.
import { lines } from "./lines.ts";

type Gpqa = readonly [question: string, right: string, ...wrong: readonly [string, string, string]];

const gpqa: readonly Gpqa[] = [
  [
    "How many signals, splitting aside, does the proton NMR spectrum of 1,4-dimethylbenzene show?",
    "Two",
    "One",
    "Three",
    "Four",
  ],
  [
    "An infinitely deep well in one dimension is made twice as wide. By which factor does the energy of a particle's ground state change?",
    "One quarter",
    "One half",
    "Two",
    "Four",
  ],
  [
    "Both parents carry one copy of a recessive allele; whoever has two copies dies before birth. Which share of their children are carriers?",
    "Two thirds",
    "One half",
    "One quarter",
    "Three quarters",
  ],
  [
    "What is the pH of a solution of 1e-8 mol/L of hydrochloric acid in water at 25 °C?",
    "6.98",
    "8.00",
    "7.00",
    "6.00",
  ],
  [
    "A planet has four times the mass of another and the same radius. How large is its escape velocity compared with the other's?",
    "Twice as large",
    "Four times as large",
    "1.41 times as large",
    "The same",
  ],
  [
    "Which enzyme lengthens the ends of linear chromosomes with a template of RNA that it carries?",
    "Telomerase",
    "DNA ligase",
    "Primase",
    "Topoisomerase",
  ],
  [
    "What are the eigenvalues of the product of the Pauli matrices x and y?",
    "i and -i",
    "1 and -1",
    "0 and 1",
    "i and 1",
  ],
  [
    "How does the half-life of a reaction of second order in one substance depend on its initial concentration?",
    "Inversely",
    "Not at all",
    "Proportionally",
    "With its square",
  ],
  [
    "A star is 100 times as luminous as the Sun, at the same surface temperature. How large is its radius?",
    "10 solar radii",
    "100 solar radii",
    "3.2 solar radii",
    "1000 solar radii",
  ],
  [
    "How many double strands come of one in ten perfect cycles of a polymerase chain reaction?",
    "1024",
    "100",
    "512",
    "20",
  ],
];

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

const head = [
  "Record ID",
  "Question",
  "Correct Answer",
  "Incorrect Answer 1",
  "Incorrect Answer 2",
  "Incorrect Answer 3",
];

export const gpqaSample = {
  format: "csv",
  text: [head, ...gpqa.map((cells, index) => [`own-${index + 1}`, ...cells])]
    .map((cells) => cells.map(quoted).join(","))
    .join("\n"),
} as const;

type Mmlu = readonly [category: string, question: string, right: number, options: string];

const mmlu: readonly Mmlu[] = [
  ["math", "What is the determinant of the matrix with rows (2, 1) and (4, 5)?", 5, "1|2|3|4|5|6|8|10|13|14"],
  ["math", "How many ways are there to choose 2 of 10 people?", 3, "10|20|40|45|50|55|60|90|100|1024"],
  [
    "physics",
    "A stone falls from rest for 3 seconds, with 10 m/s² and no drag. How far does it fall?",
    4,
    "9 m|15 m|20 m|30 m|45 m|60 m|75 m|90 m|120 m|180 m",
  ],
  [
    "physics",
    "Two resistors of 6 ohms each are connected in parallel. What is their resistance together?",
    2,
    "1 ohm|2 ohms|3 ohms|4 ohms|6 ohms|9 ohms|12 ohms|18 ohms|24 ohms|36 ohms",
  ],
  ["chemistry", "How many grams are half a mole of water, with 18 grams in a mole?", 4, "1|2|4.5|6|9|12|18|27|36|72"],
  ["economics", "A price rises from 80 to 100. By how many percent does it rise?", 6, "8|10|12.5|15|18|20|25|30|40|80"],
  [
    "computer science",
    "How many different values does a byte of eight bits have?",
    8,
    "8|16|32|64|100|127|128|255|256|512",
  ],
  ["biology", "How many chromosomes does a human egg cell normally have?", 5, "2|4|11|12|22|23|24|44|46|48"],
  [
    "history",
    "In which century was the printing press with movable metal type built in Mainz?",
    4,
    "11th|12th|13th|14th|15th|16th|17th|18th|19th|20th",
  ],
  [
    "other",
    "How many degrees does the minute hand of a clock turn in 25 minutes?",
    9,
    "15|25|30|60|75|90|100|120|125|150",
  ],
];

export const mmluSample = lines(
  mmlu.map(([category, question, answer_index, options], index) => ({
    question_id: index + 1,
    question,
    options: options.split("|"),
    answer: String.fromCodePoint(65 + answer_index),
    answer_index,
    cot_content: "",
    category,
    src: "own",
  })),
);
