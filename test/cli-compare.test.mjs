// The commands that compare, end to end.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { duplex, fast, folder, jsonLines } from "./process.mjs";

const number = (value) => typeof value === "number" && Number.isFinite(value);

test("prints the contract, a line a protocol", async () => {
  const model = "simulated:ttft=10,decode=3000,stepTokens=60";
  const args = ["TASK", "--model", model, "--topology", "chain", "--agents", "4", "--steps", "8", "--json"];
  const { code, stdout, stderr } = await duplex(["compare", ...args, "--price", "input=1,output=2"]);
  assert.deepEqual([code, stderr], [0, ""]);
  const lines = jsonLines(stdout);
  assert.deepEqual(
    lines.map(({ protocol }) => protocol),
    ["single", "serial", "segmented", "stream"],
  );
  const [single, serial, segmented, stream] = lines;
  for (const line of lines) {
    for (const value of [line.wallMs, line.workingMs, line.alpha, line.beta, line.rPo]) assert.ok(number(value));
    for (const name of ["calls", "inputTokens", "cachedTokens", "outputTokens"]) assert.ok(number(line.usage[name]));
    const { inputTokens, outputTokens } = line.usage;
    assert.deepEqual(line.cost, { currency: "USD", amount: (inputTokens + 2 * outputTokens) / 1e6 });
    assert.match(line.answer, /^Step 8: /);
    assert.ok(number(line.speedUp.selfReferenced));
    assert.equal(line.speedUp.vsSerial, line === serial ? 1 : line.speedUp.vsSerial);
    assert.equal(line.simulated, true);
  }
  assert.deepEqual(
    [single, serial, segmented, stream].map(({ usage }) => usage.calls),
    [1, 4, 25, 25],
  );
  assert.equal(stream.speedUp.bound, (4 * 8) / (8 + 4 - 1));
  assert.equal(stream.speedUp.efficiency, stream.speedUp.vsSerial / stream.speedUp.bound);
  assert.equal(stream.speedUp.vsSerial, serial.wallMs / stream.wallMs);
  assert.ok(stream.overlapMs > 10 * segmented.overlapMs, `${stream.overlapMs} and ${segmented.overlapMs}`);
  for (const line of [single, serial, segmented]) assert.equal(line.speedUp.efficiency, null);
  assert.deepEqual(stream.usage, segmented.usage);
});

test("without a serial run there is nothing to be faster than, and repeats give the median", async () => {
  const args = ["TASK", "--model", fast, "--protocols", "stream,single", "--repeats", "3", "--json"];
  const { code, stdout } = await duplex(["compare", ...args]);
  const [stream, single] = jsonLines(stdout);
  assert.equal(code, 0);
  assert.deepEqual([stream.protocol, single.protocol, stream.cost], ["stream", "single", null]);
  assert.deepEqual([stream.speedUp.vsSerial, stream.speedUp.efficiency], [null, null]);
  assert.equal(stream.wallMs, stream.wallMsOfRuns.toSorted((a, b) => a - b)[1]);
});

test("shows people one axis of time, what was gained and what it cost, and that it is simulated", async () => {
  const args = ["compare", "TASK", "--model", fast, "--agents", "2", "--steps", "3"];
  const { code, stdout } = await duplex(args, { env: { COLUMNS: "80", LANG: "C" } });
  assert.equal(code, 0);
  assert.match(stdout, /simulated/);
  assert.match(stdout, /one run\s+after the other/);
  assert.match(stdout, /^Stream took .* where serial took/m);
  assert.ok(!stdout.includes("\u001b"));
  const axes = stdout.split("\n").filter((line) => /^ +0 m?s /.test(line));
  assert.equal(axes.length, 2);
  assert.equal(axes[0], axes[1]);
  const [told] = stdout.split(/^answer/m);
  for (const line of told.split("\n")) assert.ok(line.length <= 80, line);
});

test("runs without a model or a network, and says so", async () => {
  const empty = join(folder, "cache");
  const { code, stdout, stderr } = await duplex(["demo", "--no-fetch", "--quick"], {
    env: { DUPLEX_CACHE: empty },
  });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /No real model can run here/);
  assert.match(stdout, /simulated/);
  assert.match(stdout, /^Part 3 of 3/m);
  assert.equal(stdout.match(/^Stream took/gm)?.length, 2);
});
