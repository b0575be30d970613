import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ConfigError } from "../base/errors.ts";
import {
  byDelimiter,
  byHeading,
  byLine,
  byNumber,
  byParagraph,
  bySentence,
  byStep,
  byTokens,
  piecesOf,
  splitterNamed,
  splitText,
  whole,
} from "./splitters.ts";
import type { Piece, Splitter } from "./types.ts";

const words = [
  ..."ab.!?-*#`~_: \t\n\n\r".split(""),
  "END_STEP",
  "END",
  "_STEP",
  "end step",
  "**END_STEP**",
  "\nEND_STEP\n",
  "\n```\n",
  "```js",
  "\n~~~~\n",
  "\n# ",
  "\n1. ",
  "\n2) ",
  "**Step 3:",
  "\nStep 4: ",
  "\n### Step 5. ",
  "\r\n",
  "\n\n",
  "word. Another ",
  "e.g. 3.5 x",
  "5 apples. 6 Pears",
  "d\u00e9ja\u0301",
  "\u{1f600}",
  "\ud83d",
  "\u6c34\u6c34\u3002",
  "\u2028",
  "pneumonoultramicroscopic",
];
const texts = fc.array(fc.constantFrom(...words), { maxLength: 40, size: "max" }).map((parts) => parts.join(""));
const bounds = fc.constantFrom(2, 3, 7, 20, 140, 150, 8000);
const makers: Readonly<Record<string, (maxChars: number) => Splitter>> = {
  byDelimiter: (maxChars) => byDelimiter({ maxChars }),
  "byDelimiter of other words": (maxChars) => byDelimiter({ delimiter: "e.g.", maxChars }),
  byStep: (maxChars) => byStep({ maxChars }),
  byHeading: (maxChars) => byHeading({ maxChars }),
  byNumber: (maxChars) => byNumber({ maxChars }),
  byParagraph: (maxChars) => byParagraph({ maxChars }),
  bySentence: (maxChars) => bySentence({ locale: "en", maxChars }),
  byTokens: (maxChars) => byTokens(3, undefined, { maxChars }),
  byLine: (maxChars) => byLine({ maxChars }),
  whole: (maxChars) => whole({ maxChars }),
};

const bare = (text: string) => text.replaceAll(/\s+/g, "");
const shown = (pieces: readonly Piece[]) =>
  pieces.flatMap((piece) => (piece.type === "text" ? [piece.text] : [])).join("");
const steps = (pieces: readonly Piece[]) => pieces.flatMap((piece) => (piece.type === "step" ? [piece.text] : []));

/** The text shown for each step, in order, and what was shown after the last. */
function perStep(pieces: readonly Piece[]): readonly string[] {
  const all = [""];
  for (const piece of pieces) {
    if (piece.type === "text") all[all.length - 1] += piece.text;
    else all.push("");
  }
  return all;
}

function chunked(split: Splitter, text: string, sizes: readonly number[]): readonly Piece[] {
  const cutter = split();
  const pieces: Piece[] = [];
  let index = 0;
  for (let turn = 0; index < text.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(...cutter.push(text.slice(index, index + size)));
    index += size;
  }
  return [...pieces, ...cutter.end()];
}

for (const [name, make] of Object.entries(makers)) {
  test(`${name}: the chunks do not matter, steps are bounded, and what is shown is what the steps hold`, () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(texts, sizes, bounds, (text, cuts, maxChars) => {
        const split = make(maxChars);
        const once = piecesOf(split, text);
        const pieces = chunked(split, text, cuts);
        assert.deepEqual(steps(pieces), steps(once));
        assert.deepEqual(perStep(pieces), perStep(once));
        assert.deepEqual(
          perStep(pieces).map((said) => said.trim()),
          [...steps(pieces), ""],
        );
        for (const step of steps(once)) {
          assert.ok(step.length <= maxChars);
          assert.equal(step, step.trim());
          assert.notEqual(step, "");
        }
        if (!/^by(Delimiter|Step)/.test(name)) assert.equal(bare(shown(once)), bare(text));
      }),
      { numRuns: 400 },
    );
  });
}

test("a step without end is cut at the last white space before the bound, or hard at the bound", () => {
  assert.deepEqual(splitText(whole({ maxChars: 10 }), "aaa bbb ccc ddd"), ["aaa bbb", "ccc ddd"]);
  assert.deepEqual(splitText(whole({ maxChars: 11 }), "aaa bbb ccc ddd"), ["aaa bbb ccc", "ddd"]);
  assert.deepEqual(splitText(whole({ maxChars: 4 }), "a bbbbbbbbbb c"), ["a", "bbbb", "bbbb", "bb c"]);
  assert.deepEqual(splitText(whole({ maxChars: 3 }), "aa\u{1f600}b"), ["aa", "\u{1f600}b"]);
  for (const maxChars of [0, -1, 1, 2.5, Number.NaN])
    assert.throws(() => whole({ maxChars }), { name: "ConfigError", path: "maxChars" });
});

/** A step per bound, cut at white space where there is some, over the whole text. */
function wrapped(text: string, maxChars: number): readonly string[] {
  const found: string[] = [];
  let rest = text.trim();
  while (rest.length > maxChars) {
    let size = maxChars;
    while (size > 0 && /\S/.test(rest.charAt(size))) size--;
    if (size === 0) size = /[\ud800-\udbff]/.test(rest.charAt(maxChars - 1)) ? maxChars - 1 : maxChars;
    found.push(rest.slice(0, size).trim());
    rest = rest.slice(size).trim();
  }
  return rest === "" ? found : [...found, rest];
}

test("text is cut at its bound like words are wrapped in lines", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 2, max: 128 }), (any, maxChars) => {
      const text = any.replaceAll(/\ud83d(?!\ude00)/g, "");
      assert.deepEqual(splitText(whole({ maxChars }), text), wrapped(text, maxChars));
    }),
    { numRuns: 500 },
  );
});

test("far from the bound words are shown as they come, near it once they are whole", () => {
  const cutter = whole({ maxChars: 200 })();
  const early = cutter.push("ab ".repeat(20) + "ea");
  assert.equal(shown(early), "ab ".repeat(20) + "ea");
  assert.equal(shown(cutter.push("rly" + " ab".repeat(40) + " la")), "rly" + " ab".repeat(40));
  assert.equal(shown(cutter.push("te ")), " late");
});

test("headings, numbers, paragraphs and lines cut where a reader would", () => {
  const text = "Intro\n# One\nx #2\n```\n# no\n\n```\n## Two\n#3 no";
  assert.deepEqual(splitText(byHeading(), text), ["Intro", "# One\nx #2\n```\n# no\n\n```", "## Two\n#3 no"]);
  assert.deepEqual(splitText(byNumber(), "So:\n1. a 2. b\n   1. sub\n2) c\n**Step 3:** d\n1.5 e\n2024. f"), [
    "So:",
    "1. a 2. b\n   1. sub",
    "2) c",
    "**Step 3:** d\n1.5 e\n2024. f",
  ]);
  assert.deepEqual(splitText(byParagraph(), "a\nb\n \nc\n```\nd\n\ne\n```\n\n\nf"), [
    "a\nb",
    "c\n```\nd\n\ne\n```",
    "f",
  ]);
  assert.deepEqual(splitText(byLine(), "a\r\n\r\nb\n```\n\nc"), ["a", "b", "```", "c"]);
});

test("steps end at delimiters and begin at their numbers, whichever a model writes", () => {
  const both = "Step 1: a\nEND_STEP\nStep 2: b\nsee Step 7: no\n**Step 3:** c\n## Step 4. d\n\nSteps 5: e\nend_step";
  assert.deepEqual(splitText(byStep(), both), [
    "Step 1: a",
    "Step 2: b\nsee Step 7: no",
    "**Step 3:** c",
    "## Step 4. d\n\nSteps 5: e",
  ]);
  assert.equal(shown(piecesOf(byStep(), "a\nEND_STEP\nb\nStep 2: c")), "a\nb\nStep 2: c");
});

test("sentences are those of Intl.Segmenter over the whole text", () => {
  const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
  fc.assert(
    fc.property(texts, (text) => {
      const sentences = [...segmenter.segment(text)].map(({ segment }) => segment.trim()).filter((one) => one !== "");
      assert.deepEqual(splitText(bySentence({ locale: "en" }), text), sentences);
    }),
    { numRuns: 2000 },
  );
});

test("steps of tokens hold at least as many as asked, and are counted word by word", () => {
  const split = byTokens(3, () => 1);
  assert.deepEqual(splitText(split, "a b c d e\nf g"), ["a b c", "d e\nf", "g"]);
  assert.deepEqual(splitText(byTokens(16), "\u6c34".repeat(20)), ["\u6c34".repeat(16), "\u6c34".repeat(4)]);
  for (const size of [0, -1, 1.5]) assert.throws(() => byTokens(size), { name: "ConfigError", path: "tokens" });
});

test("a splitter is named by a word, and a wrong one says which forms there are", () => {
  const text = "a b.\nc\nWORD\nd";
  assert.deepEqual(splitText(splitterNamed("delimiter:WORD"), text), ["a b.\nc", "d"]);
  assert.deepEqual(splitText(splitterNamed("line"), text), ["a b.", "c", "WORD", "d"]);
  assert.deepEqual(splitText(splitterNamed("whole"), text), [text]);
  for (const spec of ["step", "delimiter", "heading", "numbered", "paragraph", "sentence", "sentence:de", "tokens:16"])
    assert.equal(typeof splitterNamed(spec), "function");
  for (const spec of ["", "lines", "tokens", "tokens:0", "tokens:x", "heading:2", "toString", "constructor"])
    assert.throws(
      () => splitterNamed(spec),
      (error) => error instanceof ConfigError && error.message.includes("tokens:16"),
      spec,
    );
  assert.throws(() => splitterNamed("sentence:not a tag"), { name: "ConfigError", path: "locale" });
  assert.throws(() => splitterNamed("delimiter:"), { name: "ConfigError", path: "delimiter" });
});
