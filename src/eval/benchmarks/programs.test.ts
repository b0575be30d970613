import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as fc from "fast-check";
import { VirtualClock } from "../../testing/clock.ts";
import { programIn } from "./code.ts";
import { decodedTests, encodedTests } from "./encoded.ts";
import { loadBenchmark } from "./load.ts";
import { gradeProgram, sameOutput, sameResult, voteProgram } from "./programs.ts";
import type { CodeTest } from "./programs.ts";
import { pythonSandbox } from "./sandbox/sandbox.ts";

const clock = new VirtualClock();
const sandbox = pythonSandbox({ runMs: 1000, memoryMb: 256, outputBytes: 100_000, processes: 1, clock });
after(() => sandbox.close());

type Task = { readonly name?: string; readonly tests: readonly CodeTest[] };

const sum: Task = {
  tests: [
    { input: "3 4\n", output: "7\n" },
    { input: "-1 1\n", output: "0\n" },
  ],
};
const double: Task = {
  name: "double",
  tests: [
    { input: "[1, 2]", output: "[2, 4]" },
    { input: "[]", output: "[]" },
  ],
};
const half: Task = { tests: [{ input: "3\n", output: "1.5\n" }] };
const rows: Task = { tests: [{ input: "2\n", output: "1 2\n3 4\n" }] };
const is: Task = { name: "is", tests: [{ input: '"a"\n1', output: "true" }] };

const block = (code: string) => `Here is my solution.\n\n\`\`\`python\n${code}\n\`\`\`\n`;
const sumCode = "a, b = map(int, input().split())\nprint(a + b)";
const method = (body: string) => `class Solution:\n    def double(self, xs: List[int]) -> List[int]:\n        ${body}`;

/** What is asked, what is said, whether it passes. */
const cases: readonly (readonly [task: Task, said: string, correct: boolean])[] = [
  // Where the program is.
  [sum, block(sumCode), true],
  [sum, sumCode, true],
  [sum, `\`\`\`\n${sumCode}\n\`\`\``, true],
  [sum, `\`\`\`py\n${sumCode}\n\`\`\``, true],
  [sum, `~~~python\n${sumCode}\n~~~`, true],
  [sum, `${block("print(1)")}Better:\n${block(sumCode)}`, true],
  [sum, `${block(sumCode)}Worse:\n${block("print(1)")}`, false],
  [sum, `${block(sumCode)}Output:\n\`\`\`text\n7\n\`\`\``, true],
  [sum, `\`\`\`python\n${sumCode}`, true],
  [sum, "I would add them.", false],
  [sum, "", false],
  [sum, "```python\n```", false],
  [sum, `\`\`\`cpp\nint main() {}\n\`\`\``, false],
  // How it reads and writes.
  [sum, block("import sys\nprint(sum(map(int, sys.stdin.read().split())))"), true],
  [sum, block("import sys\nprint(sum(int(x) for x in sys.stdin.buffer.read().split()))"), true],
  [sum, block("print(sum(map(int, open(0).read().split())))"), true],
  [sum, block("from sys import stdin, stdout\nstdout.write(str(sum(map(int, stdin.readline().split()))))"), true],
  [sum, block(`def main():\n    ${sumCode.replace("\n", "\n    ")}\nmain()`), true],
  [sum, block(`def main():\n    ${sumCode.replace("\n", "\n    ")}\nif __name__ == "__main__":\n    main()`), true],
  [sum, block(`def main():\n    ${sumCode.replace("\n", "\n    ")}`), false],
  [sum, block(`${sumCode}\nexit()`), true],
  [sum, block(`${sumCode}\nexit(1)`), false],
  [sum, block(`${sumCode}\nraise SystemExit`), true],
  [sum, block("a, b = map(int, input().split())\nprint(a + b, end='')"), true],
  [sum, block("a, b = map(int, input().split())\nprint(f'  {a + b}  ')\nprint()"), true],
  [sum, block("a, b = map(int, input().split())\nprint(float(a + b))"), true],
  [sum, block("a, b = map(int, input().split())\nprint('sum:', a + b)"), false],
  [sum, block("a, b = map(int, input().split())\nprint(a + b)\nprint('done')"), false],
  [sum, block("import sys\nprint('noise', file=sys.stderr)\n" + sumCode), true],
  [sum, block("print(input())"), false],
  [sum, block("print(7)"), false],
  [sum, block("print(eval(input().replace(' ', '+')))"), true],
  [sum, block("print(a + b)"), false],
  [sum, block("a, b = input().split()\nprint(a + b)"), false],
  [sum, block(`${sumCode}\ninput()`), false],
  [sum, block("a, b = map(int, input().split()\nprint(a + b)"), false],
  [half, block("print(int(input()) / 2)"), true],
  [half, block("print('%.3f' % (int(input()) / 2))"), true],
  [half, block("print('15e-1')"), true],
  [half, block("print(1.5000001)"), false],
  [half, block("print('1,5')"), false],
  [rows, block("print(1, 2)\nprint(3, 4)"), true],
  [rows, block("print('1  2 \\n 3 4')"), true],
  [rows, block("print(1, 2, 3, 4)"), false],
  [rows, block("print('1 2')"), false],
  [rows, block("print('1 2\\n\\n3 4')"), false],
  // Functions.
  [double, block(method("return [2 * x for x in xs]")), true],
  [double, block("def double(xs):\n    return [2 * x for x in xs]"), true],
  [double, block("double = lambda xs: [2 * x for x in xs]"), true],
  [double, block(method("return tuple(2 * x for x in xs)")), true],
  [double, block(method("return [2.0 * x for x in xs]")), true],
  [double, block(method("print(xs)\n        return [2 * x for x in xs]")), true],
  [double, block(method("return [str(2 * x) for x in xs]")), false],
  [double, block(method("return (2 * x for x in xs)")), false],
  [double, block(method("print([2 * x for x in xs])")), false],
  [double, block(method("return xs + xs")), false],
  [double, block(method("return {2 * x for x in xs}")), false],
  [double, block("class Solution:\n    def other(self, xs):\n        return xs"), false],
  [double, block(method("return [2 * x for x in xs][0:1]")), false],
  [double, block(`${method("return [2 * x for x in xs]")}\nprint(Solution().double([1]))`), true],
  [double, block(`${method("return [2 * x for x in xs]")}\nassert False`), false],
  [double, block("class E:\n    def __eq__(self, other): return True\ndef double(xs): return E()"), false],
  [double, block("class L(list):\n    def __repr__(self): return '[2, 4]'\ndef double(xs): return L()"), false],
  [is, block("def is_(): pass\nis1 = 1\nglobals()['is'] = lambda a, n: a == 'a' and n == 1"), true],
  [is, block("globals()['is'] = lambda a, n: 1"), true],
  [is, block("globals()['is'] = lambda a, n: 'true'"), false],
  // Code that does other things than to answer.
  [sum, block("while True: pass"), false],
  [sum, block("while True: print(7)"), false],
  [sum, block("import os\nos.fork()"), false],
  [sum, block("x = [0] * 10**10"), false],
  [sum, block("def f(): f()\nf()"), false],
  [sum, block("import os\nos._exit(0)"), false],
  [sum, block("import js"), false],
  [sum, `\`\`\`python\nx = "${"a".repeat(1_000_000)}"\n\`\`\``, false],
  [sum, block(`print = lambda *a: None\n${sumCode}`), false],
  [sum, block(`import inspect\nfor f in inspect.stack(): print(f.frame.f_locals.get('output'))`), false],
];

test("programs and functions pass their tests or do not", async (t) => {
  assert.ok(cases.length >= 60);
  for (const [task, said, correct] of cases) {
    const grade = await gradeProgram(said, task, { sandbox });
    await t.test(`${JSON.stringify(said).slice(0, 90)} ${correct ? "passes" : "fails"}`, () => {
      assert.equal(grade.correct, correct, grade.detail);
      assert.equal(grade.failed, undefined, grade.detail);
    });
  }
});

const solutions: readonly string[] = [
  "print(sum(map(int, input().split())))",
  "print(sum(c in 'aeiou' for c in input()))",
  "input()\nprint(len(set(input().split())))",
  "n = int(input())\nprint('%.2f' % (sum(map(int, input().split())) / n))",
  "a, b = 1, 1\nfor _ in range(int(input())): a, b = b, a + b\nprint(a)",
  `h, w = map(int, input().split())
g = [input() for _ in range(h)]
seen = set()
def size(i, j):
    if not (0 <= i < h and 0 <= j < w) or g[i][j] != "#" or (i, j) in seen: return 0
    seen.add((i, j))
    return 1 + size(i + 1, j) + size(i - 1, j) + size(i, j + 1) + size(i, j - 1)
print(max(size(i, j) for i in range(h) for j in range(w)))`,
  "class Solution:\n    def countPairs(self, nums, target):\n        return sum(a + b == target for a, b in combinations(nums, 2))",
  `class Solution:
    def isBalanced(self, text):
        open_ = []
        for c in text:
            if c in "([": open_.append(c)
            elif c in ")]" and (not open_ or open_.pop() != {")": "(", "]": "["}[c]): return False
        return not open_`,
  "class Solution:\n    def runningMaximum(self, nums):\n        return list(accumulate(nums, max))",
  `class Solution:
    def groupByLength(self, words):
        return [[w for w in words if len(w) == n] for n in sorted({len(w) for w in words})]`,
];

test("every sample problem is solved by a right program, and by no program of another", async () => {
  const { benchmark, items } = await loadBenchmark("lcb-generation:sample", { sandbox });
  assert.equal(items.length, solutions.length);
  for (const [index, item] of items.entries()) {
    const right = await benchmark.grade(item, block(solutions[index] ?? ""));
    assert.equal(right.correct, true, `${item.id}: ${right.detail}`);
    assert.match(right.detail, /^all 3 tests passed$/);
    const other = await benchmark.grade(item, block(solutions[(index + 1) % solutions.length] ?? ""));
    assert.equal(other.correct, false, item.id);
  }
  await benchmark.close?.();
});

test("hidden tests are read as they are published, and what is none is a failure of grading", async () => {
  const tests = [{ input: "1\n", output: "é\n", testtype: "stdin" }];
  assert.deepEqual(decodedTests(encodedTests(tests)), tests);
  assert.deepEqual(decodedTests(JSON.stringify(tests)), tests);
  // As Python wrote it: base64.b64encode(zlib.compress(pickle.dumps(json.dumps(tests)))).
  const python = "eJxrYJlqxwABPVbR1UqZeQWlJUpWCkrGCiYxeUo6Ckr5pSVQIXOIQElqcUlJZUEqSKi4JCUzT6k2dooeALJaFKU=";
  assert.deepEqual(decodedTests(python), [{ input: "3 4\n", output: "7\n", testtype: "stdin" }]);
  const { benchmark, items } = await loadBenchmark("lcb-generation:sample", { sandbox });
  const [item] = items;
  assert.ok(item);
  for (const hidden of ["nonsense", "eJwrSS0uAQAEXQHB", '[{"input": 3}]']) {
    const grade = await benchmark.grade({ ...item, data: { ...(item.data as object), hidden } }, block("print(1)"));
    assert.deepEqual([grade.correct, grade.failed], [false, true], grade.detail);
  }
  await benchmark.close?.();
});

test("outputs are compared line by line, numbers by their value", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer(), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
      (grid) => {
        const text = grid.map((line) => line.join(" ")).join("\n");
        const spaced = grid.map((line) => `  ${line.map((value) => `${value}.0`).join("   ")} `).join("\n");
        assert.ok(sameOutput(text, `${spaced}\n\n`));
        assert.ok(!sameOutput(text, `${text}\n1`));
        assert.ok(
          !sameOutput(
            text,
            text.replace(/\d+$/, (last) => `${BigInt(last) + 1n}`),
          ),
        );
        assert.ok(sameResult(JSON.stringify(grid), JSON.stringify(grid)));
      },
    ),
  );
  assert.ok(!sameOutput("50000000000000000", "50000000000000001"));
});

test("programs vote for themselves, whatever their comments and empty lines", () => {
  assert.equal(voteProgram(block("x = 1  # one\n\nprint(x)")), voteProgram(block("x = 1\nprint(x)")));
  assert.notEqual(voteProgram(block("print(1)")), voteProgram(block("print(2)")));
  assert.equal(voteProgram("no code here"), undefined);
  assert.equal(programIn("Some words.\n\n```python\nprint(1)\n```"), "print(1)");
});

test("without a sandbox there is no grade", async () => {
  const broken = { run: () => Promise.resolve({ outcome: "failed", text: "it did not start" } as const), close() {} };
  const grade = await gradeProgram(block(sumCode), sum, { sandbox: broken });
  assert.deepEqual([grade.correct, grade.failed, grade.detail], [false, true, "it did not start"]);
});
