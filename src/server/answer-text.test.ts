import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { chain } from "../core/topology.ts";
import type { Agent, Model, RunEvent } from "../core/types.ts";
import { bySentence } from "../core/splitters.ts";
import { run } from "../runtime/run.ts";
import type { RunOptions } from "../runtime/run.ts";
import { VirtualClock } from "../testing/clock.ts";
import { scripted } from "../testing/scripted.ts";
import { AnswerText, Stops } from "./answer-text.ts";

const cuts = (text: string, sizes: readonly number[]): string[] => {
  const pieces: string[] = [];
  let from = 0;
  for (const size of sizes) {
    pieces.push(text.slice(from, from + size));
    from += size;
  }
  return [...pieces, text.slice(from)].filter((piece) => piece !== "");
};

test("a text ends at its first stop sequence, however it is cut", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 40 });
  const sequences = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 }), {
    maxLength: 3,
  });
  fc.assert(
    fc.property(letters, sequences, fc.array(fc.nat(5)), (text, given, sizes) => {
      const stops = new Stops(given);
      const said = cuts(text, sizes)
        .map((piece) => stops.push(piece))
        .join("");
      const whole = said + stops.end();
      // The first whose last letter has come, as a model that stops by itself would.
      const ends = given.flatMap((each) => (text.includes(each) ? [text.indexOf(each) + each.length] : []));
      assert.equal(stops.found, ends.length > 0);
      if (ends.length === 0) assert.equal(whole, text);
      else
        assert.ok(given.some((each) => text.startsWith(whole + each)) && given.every((each) => !whole.includes(each)));
    }),
  );
});

async function played(model: (id: string) => Model, options: RunOptions): Promise<RunEvent[]> {
  const agents = ["a", "b"].map((id): Agent => ({ id, instructions: "", model: model(id) }));
  const events: RunEvent[] = [];
  for await (const event of run(chain(agents), "a task", options)) events.push(event);
  return events;
}

const answered = (events: readonly RunEvent[]): string => {
  const answer = new AnswerText();
  return events.map((event) => answer.add(event)).join("") + answer.end();
};

test("what is sent piece by piece is the steps of the last agent, however models cut their words", async () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,6}( [a-z]{1,6}){0,3}$/), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(words, fc.array(fc.integer({ min: 1, max: 7 })), async (steps, sizes) => {
      const clock = new VirtualClock();
      const text = steps.map((step) => `${step}\nEND_STEP\n`).join("");
      const model = () => scripted(clock, () => cuts(text, sizes), { ms: 1 });
      const events = await clock.run(played(model, { clock, protocol: "serial" }));
      const said = events.flatMap((event) => (event.type === "step" && event.agent === "b" ? [event.text] : []));
      assert.deepEqual(answered(events).split(/\n+/), said);
    }),
    { numRuns: 40 },
  );
});

test("where steps are sentences, the space between them stays as it was", async () => {
  const clock = new VirtualClock();
  const text = "One is said. Two is said.  Three.\n\nA new paragraph.";
  const model = () => scripted(clock, () => cuts(text, [5, 9, 3, 3, 11]), { ms: 1 });
  const events = await clock.run(played(model, { clock, protocol: "serial", splitter: bySentence() }));
  assert.equal(answered(events), text);
});
