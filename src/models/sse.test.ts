import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as always, nat, property, string } from "fast-check";
import { eventReader } from "./sse.ts";

const encoder = new TextEncoder();

test("the events are the same however the bytes are cut", () => {
  const text = string({ unit: "grapheme", maxLength: 20 }).map((data) => data.replaceAll(/[\r\n]/g, " "));
  always(
    property(array(text, { maxLength: 8 }), array(nat(400), { maxLength: 12 }), (texts, cuts) => {
      const data = texts.map((event) => JSON.stringify({ event }));
      const bytes = encoder.encode(data.map((event) => `: alive\n\ndata: ${event}\n\n`).join(""));
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
      const reader = eventReader();
      const events = places.slice(1).flatMap((place, index) => reader.push(bytes.subarray(places[index], place)));
      assert.deepEqual([...events, ...reader.end()], data);
    }),
  );
});

test("the end completes an event whose blank line is missing", () => {
  const reader = eventReader();
  assert.deepEqual(reader.push(encoder.encode("data: one\n\ndata: tw")), ["one"]);
  assert.deepEqual(reader.end(), ["tw"]);
});

test("an event beyond all measure is refused", () => {
  const reader = eventReader();
  const megabyte = encoder.encode("x".repeat(1 << 20));
  reader.push(encoder.encode("data: "));
  assert.throws(() => {
    for (let index = 0; index < 20; index++) reader.push(megabyte);
  }, RangeError);
});
