// Problems of our own writing with the columns of LiveCodeBench. Easier than the real ones.
import { encodedTests } from "../encoded.ts";
import { lines } from "./lines.ts";

type Pair = readonly [input: string, output: string];
type Problem = {
  readonly title: string;
  readonly content: string;
  readonly shown: readonly Pair[];
  readonly hidden: readonly Pair[];
  /** The function to complete; without one, a program is asked for. */
  readonly starter?: string;
};

const problems: readonly Problem[] = [
  {
    title: "Sum of two",
    content: "Two whole numbers stand on one line. Print their sum.",
    shown: [["3 4\n", "7\n"]],
    hidden: [
      ["-5 5\n", "0\n"],
      ["1000000000000 1\n", "1000000000001\n"],
    ],
  },
  {
    title: "Vowels",
    content: "One line holds a word in lower case. Print how many of its letters are among a, e, i, o and u.",
    shown: [["banana\n", "3\n"]],
    hidden: [
      ["rhythm\n", "0\n"],
      ["queue\n", "4\n"],
    ],
  },
  {
    title: "Distinct",
    content: "The first line holds n, the second n whole numbers. Print how many different numbers there are.",
    shown: [["5\n1 2 2 3 1\n", "3\n"]],
    hidden: [
      ["1\n7\n", "1\n"],
      ["6\n4 4 4 4 4 4\n", "1\n"],
    ],
  },
  {
    title: "Mean",
    content: "The first line holds n, the second n whole numbers. Print their mean with exactly two decimals.",
    shown: [["4\n1 2 3 4\n", "2.50\n"]],
    hidden: [
      ["2\n1 2\n", "1.50\n"],
      ["3\n0 0 0\n", "0.00\n"],
    ],
  },
  {
    title: "Steps",
    content:
      "A stair has n steps (n on one line, at most 80). Whoever climbs it takes one or two steps at a time. Print in how many ways it can be climbed.",
    shown: [["3\n", "3\n"]],
    hidden: [
      ["1\n", "1\n"],
      ["80\n", "37889062373143906\n"],
    ],
  },
  {
    title: "Grid",
    content:
      "The first line holds h and w, then come h lines of w signs, each . or #. Print the size of the largest connected piece of # (up, down, left, right), or 0.",
    shown: [["2 3\n##.\n..#\n", "2\n"]],
    hidden: [
      ["1 1\n.\n", "0\n"],
      ["3 3\n#.#\n###\n#.#\n", "7\n"],
    ],
  },
  {
    title: "Pairs with a sum",
    content: "Return how many pairs of positions i < j have nums[i] + nums[j] == target.",
    starter: "class Solution:\n    def countPairs(self, nums: List[int], target: int) -> int:\n        ",
    shown: [["[1, 2, 3, 4]\n5", "2"]],
    hidden: [
      ["[]\n5", "0"],
      ["[2, 2, 2]\n4", "3"],
    ],
  },
  {
    title: "Balanced",
    content: "Return whether the brackets (, ), [ and ] in the text are balanced; other signs do not matter.",
    starter: "class Solution:\n    def isBalanced(self, text: str) -> bool:\n        ",
    shown: [['"(a[b])"', "true"]],
    hidden: [
      ['"(]"', "false"],
      ['""', "true"],
    ],
  },
  {
    title: "Running maximum",
    content: "Return the list whose item i is the largest of nums[0] to nums[i].",
    starter: "class Solution:\n    def runningMaximum(self, nums: List[int]) -> List[int]:\n        ",
    shown: [["[3, 1, 4, 1, 5]", "[3, 3, 4, 4, 5]"]],
    hidden: [
      ["[]", "[]"],
      ["[-2, -3]", "[-2, -2]"],
    ],
  },
  {
    title: "Group by length",
    content: "Return the words grouped by length: a list of lists, shortest first, the words of each in their order.",
    starter: "class Solution:\n    def groupByLength(self, words: List[str]) -> List[List[str]]:\n        ",
    shown: [['["a", "bb", "c"]', '[["a", "c"], ["bb"]]']],
    hidden: [
      ["[]", "[]"],
      ['["xyz", "", "uvw"]', '[[""], ["xyz", "uvw"]]'],
    ],
  },
];

const nameOf = (starter: string): string => /def (\w+)/.exec(starter)?.[1] ?? "";

export const generationSample = lines(
  problems.map(({ title, content, shown, hidden, starter = "" }, index) => {
    const testtype = starter === "" ? "stdin" : "functional";
    const tests = (pairs: readonly Pair[]) => pairs.map(([input, output]) => ({ input, output, testtype }));
    return {
      question_title: title,
      question_content: content,
      platform: starter === "" ? "atcoder" : "leetcode",
      question_id: `own-${index + 1}`,
      contest_id: "own",
      contest_date: "2026-11-30T00:00:00",
      starter_code: starter,
      difficulty: "easy",
      public_test_cases: JSON.stringify(tests(shown)),
      private_test_cases: encodedTests(tests(hidden)),
      metadata: JSON.stringify(starter === "" ? {} : { func_name: nameOf(starter) }),
    };
  }),
);

type Call = readonly [code: string, input: string, output: string];

const calls: readonly Call[] = [
  ["def double(xs):\n    return [2 * x for x in xs]", "double(xs = [1, 2, 3])", "[2, 4, 6]"],
  [
    "def count(s, c):\n    n = 0\n    for x in s:\n        if x == c:\n            n += 1\n    return n",
    "count(s = 'banana', c = 'a')",
    "3",
  ],
  ["def flip(s):\n    return s[::-1].upper()", "flip(s = 'abc')", "'CBA'"],
  ["def inside(x, low, high):\n    return low <= x < high", "inside(x = 5, low = 0, high = 5)", "False"],
  ["def pairs(xs):\n    return list(zip(xs, xs[1:]))", "pairs(xs = [1, 2, 3])", "[(1, 2), (2, 3)]"],
  [
    "def tally(s):\n    d = {}\n    for c in s:\n        d[c] = d.get(c, 0) + 1\n    return d",
    "tally(s = 'abca')",
    "{'a': 2, 'b': 1, 'c': 1}",
  ],
  [
    "def halves(n):\n    r = []\n    while n > 1:\n        n //= 2\n        r.append(n)\n    return r",
    "halves(n = 20)",
    "[10, 5, 2, 1]",
  ],
  ["def mean(xs):\n    return sum(xs) / len(xs)", "mean(xs = [1, 2])", "1.5"],
  ["def first(xs, p):\n    for x in xs:\n        if x > p:\n            return x", "first(xs = [1, 2], p = 3)", "None"],
  ["def both(a, b):\n    return set(a) & set(b)", "both(a = [1, 2, 2, 3], b = [2, 3, 4])", "{2, 3}"],
];

export const executionSample = lines(
  calls.map(([code, input, output], index) => ({
    question_id: index + 1,
    contest_id: "own",
    contest_date: "2026-11-30T00:00:00",
    difficulty: "easy",
    function_name: /def (\w+)/.exec(code)?.[1] ?? "",
    code,
    input,
    output,
    numsteps: 10,
    problem_id: index + 1,
    id: `own_${index + 1}`,
  })),
);

type Expected = readonly [content: string, signature: string, input: string, output: string];

const expected: readonly Expected[] = [
  ["Return the sum of the digits of n.", "digitSum(self, n: int) -> int", "2026", "10"],
  [
    "Return the letters of the text that occur more than once, sorted.",
    "repeated(self, text: str) -> List[str]",
    '"letter"',
    '["e", "t"]',
  ],
  ["Return whether n is a prime number.", "isPrime(self, n: int) -> bool", "91", "false"],
  [
    "Return the longest word; of several, the first.",
    "longest(self, words: List[str]) -> str",
    '["to", "tree", "leaf"]',
    '"tree"',
  ],
  [
    "Return the numbers of nums, each only once, in the order of their first occurrence.",
    "unique(self, nums: List[int]) -> List[int]",
    "[3, 1, 3, 2, 1]",
    "[3, 1, 2]",
  ],
  [
    "Return the largest difference nums[j] - nums[i] with i < j, or -1 if none is positive.",
    "bestGain(self, nums: List[int]) -> int",
    "[7, 1, 5, 3, 6, 4]",
    "5",
  ],
  [
    "Return the number of whole numbers from low to high, both included, that are divisible by k.",
    "multiples(self, low: int, high: int, k: int) -> int",
    "5\n20\n5",
    "4",
  ],
  [
    "Return the rows of the matrix as its columns.",
    "transposed(self, matrix: List[List[int]]) -> List[List[int]]",
    "[[1, 2, 3], [4, 5, 6]]",
    "[[1, 4], [2, 5], [3, 6]]",
  ],
  [
    "Return the median of the numbers; of an even number of them, the mean of the two in the middle.",
    "median(self, nums: List[int]) -> float",
    "[5, 1, 4, 2]",
    "3.0",
  ],
  [
    "Return the text with every run of the same letter replaced by the letter and the run's length.",
    "runs(self, text: str) -> str",
    '"aaabcc"',
    '"a3b1c2"',
  ],
];

export const outputSample = lines(
  expected.map(([content, signature, input, output], index) => ({
    question_title: content,
    question_content: content,
    question_id: String(index + 1),
    contest_id: "own",
    test_id: 0,
    contest_date: "2026-11-30T00:00:00",
    starter_code: `class Solution:\n    def ${signature}:\n        `,
    difficulty: "easy",
    function_name: signature.slice(0, signature.indexOf("(")),
    test: JSON.stringify([{ input, output, testtype: "functional" }]),
  })),
);
