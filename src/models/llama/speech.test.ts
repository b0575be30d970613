import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { join, recall, Speech } from "./speech.ts";
import type { Detokenize } from "./speech.ts";

/** Tokens are bytes here: every character of more than one byte takes several tokens. */
const detokenize: Detokenize = (tokens) => Buffer.from(tokens).toString("utf8");
const bytesOf = (text: string) => [...Buffer.from(text, "utf8")];

function say(text: string, stop: readonly string[] = []) {
  const speech = new Speech({ detokenize, stop, before: [] });
  const said = bytesOf(text).map((token) => speech.push(token));
  const pieces = [...said, speech.end()].filter((piece) => piece !== undefined);
  return { speech, pieces, text: pieces.map((piece) => piece.text).join("") };
}

// The replacement character stands for bytes that are no character yet, so it cannot be told apart from them.
const words = fc.string({ unit: "grapheme", maxLength: 40 }).filter((text) => !text.includes("\uFFFD"));

test("Whatever is said comes out whole, character by character, with every token counted once", () => {
  fc.assert(
    fc.property(words, (text) => {
      const { pieces, text: out } = say(text);
      assert.equal(out, text);
      assert.equal(
        pieces.reduce((sum, { tokens }) => sum + tokens, 0),
        bytesOf(text).length,
      );
      assert.ok(pieces.every((piece) => !piece.text.includes("\uFFFD")));
    }),
  );
});

test("Nothing of a stop string is shown, and nothing before the first of them is lost", () => {
  fc.assert(
    fc.property(words, fc.array(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 3 }), words, (a, stop, b) => {
      const text = a + (stop[0] ?? "") + b;
      const first = Math.min(...stop.map((each) => text.indexOf(each)).filter((at) => at >= 0));
      const { text: out, speech } = say(text, stop);
      // The earliest to be completed wins, so what is shown is never more than what comes before the first.
      assert.ok(text.startsWith(out));
      if (Number.isFinite(first)) assert.ok(speech.stopped && stop.every((each) => !out.includes(each)));
      else assert.equal(out, text);
    }),
  );
});

test("An unfinished character at the end is dropped, and broken bytes do not hold the rest back", () => {
  const speech = new Speech({ detokenize, stop: [], before: [] });
  const cut = bytesOf("a日").slice(0, -1);
  const said = cut.map((token) => speech.push(token)?.text).filter((text) => text !== undefined);
  assert.deepEqual([...said, speech.end()?.text], ["a", undefined]);
  assert.equal(speech.spoken.text, "a");
  for (const token of [...bytesOf("日"), 0x80, 0x80, 0x80, 0x80, ...bytesOf("so")]) speech.push(token);
  assert.ok(speech.spoken.text.endsWith("so"));
});

test("A message that was said is made of its own tokens again, as far as it is still the same", () => {
  fc.assert(
    fc.property(words, words, words, (first, second, changed) => {
      const spoken = join(say(first).speech.spoken, say(second).speech.spoken);
      assert.deepEqual(recall(spoken, first + second), { tokens: bytesOf(first + second), rest: "" });
      const { tokens, rest } = recall(spoken, first + changed);
      assert.equal(Buffer.from(tokens).toString("utf8") + rest, first + changed);
      assert.ok(tokens.length >= bytesOf(first).length);
    }),
  );
});
