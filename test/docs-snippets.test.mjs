// How pages are taken apart.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, commandsOf, lessOf, programsOf, whyNot, wordsOf } from "./docs-snippets.mjs";

const page = (...lines) => blocksOf(lines.join("\n"), "p.md");
const commands = (...lines) => page("```sh", ...lines, "```").flatMap(commandsOf);

test("comments before a fence say how to take it, with blank lines between or without", () => {
  const notRun = ["<!-- not run: needs a key -->", "<!-- with: model, topology -->", "", "```ts", "1;", "```"];
  const goesOn = ["<!-- goes on -->", "```ts", "2;", "```"];
  const [first, second, third] = page(...notRun, ...goesOn, "words", "", "```", "3", "```");
  assert.deepEqual([first.why, first.given, first.goesOn], ["needs a key", ["model", "topology"], false]);
  assert.deepEqual([second.why, second.given, second.goesOn], [undefined, [], true]);
  assert.deepEqual([third.language, third.code, third.line], ["", "3", 14]);
  assert.throws(() => page("```ts"), /p\.md:1: a fence is not closed/);
});

test("every line of a program is where the page has it, also of one that goes on", () => {
  const lines = [
    "# T",
    "```ts",
    "one;",
    "```",
    "",
    "<!-- goes on -->",
    "```ts",
    "two;",
    "```",
    "```js",
    "three;",
    "```",
  ];
  const [whole, other, ...none] = programsOf(page(...lines));
  assert.deepEqual(whole.text.split("\n"), ["", "", "one;", "", "", "", "", "two;"]);
  assert.deepEqual([whole.file, other.file, none], ["p-3.ts", "p-11.js", []]);
  assert.throws(() => programsOf(page("<!-- goes on -->", "```ts", "1;", "```")), /nothing to go on from/);
});

test("what is given is imported on the first line", () => {
  const [program] = programsOf(page("<!-- with: model, server -->", "```ts", "model;", "```"));
  assert.deepEqual(program.text.split("\n"), ['import { model } from "./docs-givens.mjs";', "", "model;"]);
});

test("command lines go on behind a backslash and within quotes, and lose their comments", () => {
  const found = commands("a --b \\", "  c  # why", "# no", "", `d -e '{ "f": 1,`, `  "g": "it" }' # h`, 'i "j # k"');
  assert.deepEqual(
    found.map(({ line, text }) => [line, text]),
    [
      [2, "a --b  c"],
      [6, `d -e '{ "f": 1,\n"g": "it" }'`],
      [8, 'i "j # k"'],
    ],
  );
});

test("a command line that needs what is not here is not run, and says what", () => {
  assert.equal(whyNot({ text: "duplex run T --model openai:m" }), "needs a provider's API");
  assert.equal(whyNot({ text: "duplex view a.jsonl" }), "opens a browser");
  assert.equal(whyNot({ text: "duplex view a.jsonl -o a.html" }), undefined);
  assert.equal(whyNot({ text: "duplex run T", why: "so it says" }), "so it says");
});

test("what is run is run on less", () => {
  assert.equal(lessOf("duplex eval report --json > r"), "duplex eval report --json --samples 8 > r");
  assert.equal(lessOf("duplex eval report --samples 100"), "duplex eval report --samples 8");
  assert.equal(lessOf("duplex experiment main --out a"), "duplex experiment main --out a --items 2");
  assert.match(lessOf("duplex compare T --model simulated"), /^duplex compare T --model simulated:ttft=1,/);
});

test("words lose their quotes", () => {
  assert.deepEqual(wordsOf(`a "b c" 'd "e"' --f=g`), ["a", "b c", 'd "e"', "--f=g"]);
});
