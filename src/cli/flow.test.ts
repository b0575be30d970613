import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Flow } from "./flow.ts";
import { width } from "./printable.ts";

function wrap(text: string, room: number, cuts: readonly number[] = []): { mark: string; text: string }[] {
  const flow = new Flow(room);
  const places = [0, ...[...cuts].map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  const lines = places.slice(1).flatMap((to, index) => flow.push(text.slice(places[index], to)));
  return [...lines, ...flow.end()];
}

const speech = fc.string({
  unit: fc.constantFrom("a", "b", " ", "\n", "\r", "\t", "é", "日", "😀", "\u001b", "e\u0301"),
  maxLength: 60,
});

test("lines are the same however the text comes, and none is wider than its room", () => {
  fc.assert(
    fc.property(speech, fc.integer({ min: 5, max: 20 }), fc.array(fc.nat(), { maxLength: 8 }), (text, room, cuts) => {
      const whole = wrap(text, room);
      assert.deepEqual(wrap(text, room, cuts), whole);
      for (const line of whole) {
        assert.ok(width(line.text) <= room, JSON.stringify(line));
        assert.doesNotMatch(line.text, /[\p{Cc}\p{Cs}]/u);
      }
    }),
  );
});

test("words are kept whole and in order, and a mark stands before the first line only", () => {
  const flow = new Flow(12);
  flow.mark("1");
  const lines = [...flow.push("one two three four"), ...flow.end()];
  assert.deepEqual(lines, [
    { mark: "1", text: "one two" },
    { mark: "", text: "three four" },
  ]);
});
