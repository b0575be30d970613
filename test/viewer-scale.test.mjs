import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { after, before, describe, test } from "node:test";
import { page as pageOf } from "../dist/viewer/index.js";
import { ensureBundle, openBrowser, skip } from "./viewer-browser.mjs";
import { measureLarge } from "./viewer-speed.mjs";

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

  test("it can be used within 2 s of processor time, and a frame of scrubbing takes less than 20 ms", async (context) => {
    const { ready, readyCpu, frame, frame90, frameCpu, paragraphs, problems } = await measureLarge(browser, 100_000);
    context.diagnostic(`interactive after ${ready.toFixed(0)} ms, ${readyCpu.toFixed(0)} ms of them its own`);
    context.diagnostic(
      `a frame every ${frame.toFixed(1)} ms, 90th percentile ${frame90.toFixed(1)}; own ${frameCpu.toFixed(1)}`,
    );
    assert.ok(readyCpu <= 2000, `${readyCpu} ms`);
    assert.ok(frameCpu <= 20, `${frameCpu} ms`);
    assert.ok(paragraphs < 1000);
    assert.deepEqual(problems, []);
  });
});
