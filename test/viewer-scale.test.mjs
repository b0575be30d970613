import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { after, before, describe, test } from "node:test";
import { page as pageOf } from "../dist/viewer/index.js";
import { ensureBundle, openBrowser, skip } from "./viewer-browser.mjs";

/** A chain of agents that hear each other's steps, with decisions: about `size` events. */
function largeTrace(size, agents = 8) {
  const ids = Array.from({ length: agents }, (_, index) => `agent-${index}`);
  const edges = ids.slice(1).map((id, index) => [ids[index], id]);
  const head = {
    type: "run-start",
    version: 1,
    at: 0,
    run: "large",
    protocol: "stream",
    join: "aligned",
    hear: "each",
  };
  const events = [{ ...head, task: "Much", agents: ids.map((id) => ({ id, model: "m" })), edges }];
  const seqs = new Map(ids.map((id) => [id, 0]));
  const usage = { calls: 1, inputTokens: 100, cachedTokens: 50, outputTokens: 24 };
  const add = (agent, event) => {
    events.push({ ...event, agent, seq: seqs.get(agent) });
    seqs.set(agent, seqs.get(agent) + 1);
  };
  for (let turn = 0, at = 0; events.length < size; turn++, at += 250)
    for (const [index, agent] of ids.entries()) {
      const heard = index > 0 && turn > index ? [[ids[index - 1], turn - 1]] : [];
      add(agent, { type: "turn-start", at, turn, heard });
      for (let word = 1; word <= 24; word++)
        add(agent, { type: "chunk", at: at + word * 9, turn, text: `word ${word} `, tokens: 1 });
      const decision = { type: "decision", at: at + 220, turn, by: ids[(index + 1) % agents], outcome: "wait", ms: 3 };
      add(agent, { ...decision, advantage: -1, probability: 0.2, chunks: 1, tokens: 24 });
      add(agent, { type: "step", at: at + 225, turn, index: turn, text: "words" });
      add(agent, { type: "turn-end", at: at + 230, turn, reason: "stop", usage });
    }
  return events;
}

const sorted = (events) => events.toSorted((a, b) => a.at - b.at);

test("the page without a trace is at most 200 kB, compressed", () => {
  ensureBundle();
  const size = gzipSync(pageOf({ traces: [] })).length;
  assert.ok(size <= 200_000, `${size} bytes`);
});

describe("a trace of 100,000 events in a browser", { skip }, () => {
  let browser;
  before(async () => {
    ensureBundle();
    browser = await openBrowser();
  });
  after(() => browser?.close());

  test("it can be used within 2 s, and scrubbed at 50 frames a second", async (context) => {
    const events = sorted(largeTrace(100_000));
    const { page, problems } = await browser.show(pageOf({ traces: [{ name: "large", events }] }));
    const ready = await page.evaluate(
      () =>
        new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))),
    );
    await page.waitForSelector("canvas");
    const frames = await page.evaluate(async () => {
      const plot = document.querySelector("canvas");
      const box = plot.getBoundingClientRect();
      const at = (type, share) =>
        plot.dispatchEvent(
          new PointerEvent(type, {
            bubbles: true,
            pointerId: 1,
            button: 0,
            clientX: box.left + box.width * share,
            clientY: box.top + 5,
          }),
        );
      HTMLElement.prototype.setPointerCapture = () => undefined;
      const next = () => new Promise((resolve) => requestAnimationFrame(resolve));
      at("pointerdown", 0);
      const gaps = [];
      let last = await next();
      for (let step = 0; step < 90; step++) {
        at("pointermove", (step * 0.618) % 1);
        const now = await next();
        gaps.push(now - last);
        last = now;
      }
      at("pointerup", 0.5);
      return gaps.toSorted((a, b) => a - b);
    });
    const median = frames[frames.length / 2];
    context.diagnostic(
      `interactive after ${ready.toFixed(0)} ms; a frame takes ${median.toFixed(1)} ms, at the 90th percentile ${frames[80].toFixed(1)} ms`,
    );
    assert.ok(ready <= 2000, `interactive after ${ready} ms`);
    assert.ok(median <= 20, `a frame takes ${median} ms`);
    assert.ok((await page.locator("p.said").count()) < 1000);
    assert.deepEqual(problems, []);
    await page.close();
  });
});
