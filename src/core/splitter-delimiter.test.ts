import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { byDelimiter, piecesOf, splitText } from "./splitters.ts";
import type { Piece } from "./types.ts";

const words = [
  ..."ab.*#`~_: \t\n\n\r".split(""),
  "END_STEP",
  "END_STEP",
  "END",
  "_STEP",
  " end step",
  "**END_STEP**",
  "\nEND_STEP\n",
  "\n```\n",
  "```js",
  "\n~~~~\n",
  "> ",
  "\r\n",
  "word",
];
const texts = fc.array(fc.constantFrom(...words), { maxLength: 40, size: "max" }).map((parts) => parts.join(""));

/** The documented rules over a whole text, line by line. */
function delimited(text: string): readonly string[] {
  const found: string[] = [];
  let step = "";
  let fence = "";
  const around = String.raw`[\s*_\`~#>+\-=.,:;!|[\](){}<\/\\"'\u2013\u2014\u2018\u2019\u201c\u201d\u2022]`;
  const mark = around.replace(String.raw`\s`, "");
  const alone = new RegExp(`^${around}*END[_\\- \\t\\\\]{0,3}STEP${around}*$`, "i");
  const trailing = new RegExp(`\\s${mark}*END_STEP${around}*$`);
  const cut = () => {
    if (step.trim() !== "") found.push(step.trim());
    step = "";
  };
  for (const line of text.split("\n")) {
    const run = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    const rest = line.trimStart().slice(run.length);
    if (fence !== "") {
      if (run.startsWith(fence) && rest.trim() === "") fence = "";
    } else if (alone.test(line)) {
      cut();
      continue;
    } else if (run !== "" && (run[0] === "~" || !rest.includes("`"))) {
      fence = run;
    } else if (trailing.test(line)) {
      step += line.replace(trailing, "");
      cut();
      continue;
    }
    step += `${line}\n`;
  }
  cut();
  return found;
}

test("the delimiter is found exactly where the documented rules say", () => {
  fc.assert(
    fc.property(texts, (text) => {
      assert.deepEqual(splitText(byDelimiter(), text), delimited(text));
    }),
    { numRuns: 3000 },
  );
});

test("nothing is held back but what the right continuation would make a delimiter", () => {
  const bare = (given: string) => given.replaceAll(/\s+/g, "");
  fc.assert(
    fc.property(texts, (text) => {
      const shown = byDelimiter()()
        .push(text)
        .map((piece) => (piece.type === "text" ? bare(piece.text) : ""))
        .join("");
      const said = bare(delimited(`${text}x`).join(""));
      // A line that begins with three backticks opens no code block if another one follows.
      const endings = Array.from({ length: 18 }, (_, index) => "END_STEP".slice(index % 9) + "`".repeat(index / 9));
      assert.ok(
        `${shown}x` === said || endings.some((ending) => bare(delimited(text + ending).join("")) === shown),
        JSON.stringify({ text, shown, said }),
      );
    }),
    { numRuns: 1000 },
  );
});

test("every decoration that models add is taken for the delimiter and never shown", () => {
  const forms = [
    "END_STEP",
    "  END_STEP  ",
    "end_step",
    "**END_STEP**",
    "# END_STEP",
    "`END_STEP`",
    "> END_STEP",
    "---END_STEP---",
    "END_STEP.",
    "END STEP",
    "END-STEP",
    "END\\_STEP",
    "<END_STEP>",
    "</END_STEP>",
    "[END_STEP]",
    "- **END_STEP**",
    "\u201cEND_STEP\u201d",
    "```END_STEP```",
    "END_STEP\r",
    "=== END_STEP ===",
  ];
  for (const form of forms)
    assert.deepEqual(
      piecesOf(byDelimiter(), `one\n${form}\ntwo`),
      [
        { type: "text", text: "one" },
        { type: "step", text: "one" },
        { type: "text", text: "\ntwo" },
        { type: "step", text: "two" },
      ],
      form,
    );
});

test("a delimiter ends a line of text only in its exact spelling, and never a word", () => {
  assert.deepEqual(splitText(byDelimiter(), "so x = **7** END_STEP\nnext"), ["so x = **7**", "next"]);
  assert.deepEqual(splitText(byDelimiter(), "so x = 7 **END_STEP**\nnext"), ["so x = 7", "next"]);
  for (const text of ["this is the end step\nnext", "END_STEPS\nnext", "APPEND_STEP\nnext", "END_STEP is a word\nnext"])
    assert.deepEqual(splitText(byDelimiter(), text), [text]);
});

test("a delimiter in a code block is code", () => {
  const code = "see\n```js\nEND_STEP\n``` \nEND_STEP\n~~~\nEND_STEP\n```\nEND_STEP";
  assert.deepEqual(splitText(byDelimiter(), code), ["see\n```js\nEND_STEP\n```", "~~~\nEND_STEP\n```\nEND_STEP"]);
});

test("a reader sees ordinary words at once, and nothing of what may be a delimiter", () => {
  const cutter = byDelimiter()();
  const said = ["The", " end", "less\n", "EN", "D", "OW\n", "E", "ND_", "STEP", "\n", "Next"].map((chunk) =>
    cutter.push(chunk),
  );
  const text = (value: string): Piece => ({ type: "text", text: value });
  const step: Piece = { type: "step", text: "The endless\nENDOW" };
  assert.deepEqual(said, [
    [text("The")],
    [text(" end")],
    [text("less")],
    [],
    [],
    [text("\nENDOW")],
    [],
    [],
    [],
    [step],
    [text("\nNext")],
  ]);
});

test("other delimiters: of one word, of letters beyond ASCII, and made of punctuation", () => {
  assert.deepEqual(splitText(byDelimiter({ delimiter: "WEITER" }), "a\n**weiter**\nb"), ["a", "b"]);
  assert.deepEqual(splitText(byDelimiter({ delimiter: "\u00dcBER" }), "a\n\u00fcber!\nb"), ["a", "b"]);
  assert.deepEqual(splitText(byDelimiter({ delimiter: "---" }), "a\n ---\nb\n----\n- c"), ["a", "b\n----\n- c"]);
  assert.deepEqual(splitText(byDelimiter({ delimiter: "</step>" }), "a </step>\nstep\n</STEP>"), ["a", "step"]);
  for (const delimiter of ["", "  ", "a\nb", "x".repeat(65)])
    assert.throws(() => byDelimiter({ delimiter }), { name: "ConfigError", path: "delimiter" });
});

test("the cost of a chunk does not grow with the step", () => {
  const cutter = byDelimiter({ maxChars: Infinity })();
  const chunks = 200_000;
  const started = performance.now();
  for (let index = 0; index < chunks; index++) cutter.push(index % 7 === 0 ? "\n" : "word ");
  cutter.end();
  // A scan of the step for each chunk would take minutes.
  assert.ok(performance.now() - started < 5000);
});
