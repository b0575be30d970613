// Contest problems of our own writing, with the columns of MathArena's data sets. Easier than the real ones.
import { lines } from "./lines.ts";

const numbered = (rows: readonly (readonly [answer: string | number, problem: string])[]) =>
  lines(rows.map(([answer, problem], index) => ({ problem_idx: index + 1, answer, problem })));

export const aimeSample = numbered([
  [333, "Find the number of positive integers $n \\le 500$ for which $n^2+n$ is divisible by $6$."],
  [
    34,
    "The sides of a rectangle are integers, and its area and its perimeter are the same number. Find the sum of the areas of all such rectangles that are not congruent.",
  ],
  [84, "Find how many three-digit numbers have digits that strictly increase from left to right."],
  [110, "Let $x$ be a real number with $x+\\frac{1}{x}=5$. Find $x^3+\\frac{1}{x^3}$."],
  [49, "Find the remainder when $7^{2026}$ is divided by $100$."],
  [
    21,
    "A fair coin is tossed six times. The probability of exactly three heads is $\\frac{m}{n}$ in lowest terms. Find $m+n$.",
  ],
  [360, "Find the sum of all positive divisors of $120$."],
  [84, "Find the area of the triangle with sides $13$, $14$ and $15$."],
  [505, "Find the number of zeros at the end of $2026!$."],
  [89, "In how many ways can a board of $2$ by $10$ squares be covered by dominoes that do not overlap?"],
  [10, "Find $\\sum_{k=1}^{20} (-1)^k k$."],
  [12, "Find the smallest positive integer $n$ for which $2^{10}$ divides $n!$."],
]);

export const hmmtSample = numbered([
  ["6\\sqrt{3}", "Compute the area of a regular hexagon with side $2$."],
  ["\\frac{3}{4}", "Compute $\\sum_{n=1}^{\\infty} \\frac{1}{n(n+2)}$."],
  ["1+\\sqrt{2}, 1-\\sqrt{2}", "Compute all real numbers $x$ with $x^2 = 2x+1$."],
  [
    "\\frac{1}{6}",
    "Two dice are rolled, and the first does not show a one. Compute the probability that the sum is $7$.",
  ],
  [
    "\\frac{\\sqrt{5}}{2}",
    "Compute the distance between the centers of the inscribed and the circumscribed circle of a triangle with sides $3$, $4$ and $5$.",
  ],
  ["(3, 7)", "Compute the ordered pair $(a, b)$ of positive integers with $2 < a < b$ and $ab = 2a+2b+1$."],
  ["(-1, 3)", "Compute the set of all real $x$ with $|x-1| < 2$, as an interval."],
  ["2^{99}", "Compute the number of subsets of $\\{1, 2, \\ldots, 100\\}$ with an even number of elements."],
  ["\\frac{n+1}{2n}", "Compute $\\prod_{k=2}^{n} \\left(1-\\frac{1}{k^2}\\right)$ in terms of $n$."],
  ["\\frac{1+\\sqrt{5}}{4}", "Compute $\\cos 36^\\circ$."],
  ["\\frac{4\\pi}{3}", "Compute the volume of the ball inscribed in a cube with edges of length $2$."],
]);
