import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ConfigError } from "../../base/errors.ts";
import { formatEvent } from "../../core/trace.ts";
import { parallel, small } from "../../core/trace-samples.fixture.ts";
import type { RunEvent } from "../../core/types.ts";
import { width } from "../printable.ts";
import { traceCommand } from "./trace.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-trace-"));
});
after(() => rm(folder, { recursive: true, force: true }));

const lines = (events: readonly RunEvent[]) => events.map((event) => `${formatEvent(event)}\n`).join("");

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

type Run = { readonly env?: Record<string, string>; readonly tty?: boolean; readonly columns?: number };

async function trace(args: readonly string[], { env = {}, tty = false, columns }: Run = {}) {
  const written = { out: "", err: "" };
  const stdout = { write: (text: string) => (written.out += text), isTTY: tty, columns };
  const stderr = { write: (text: string) => (written.err += text) };
  const command = traceCommand({ stdout, stderr, env, signal: new AbortController().signal });
  await command.parseAsync(args, { from: "user" });
  return written;
}

const refusal = (args: readonly string[]) =>
  trace(args).then(
    () => "accepted",
    (error: unknown) => {
      assert.ok(error instanceof ConfigError, String(error));
      return error.message.replaceAll(folder, "");
    },
  );

test("a run's table, measures, timeline and answer are shown", async () => {
  const { out, err } = await trace([await file("small.jsonl", lines(small))]);
  assert.equal(err, "");
  assert.deepEqual(out.split("\n"), [
    "run small: stream, done after 300 ms",
    "task: 2+2?",
    "",
    "agent  model  turns  steps  input  cached  output  working",
    "A      m          1      2     30       0      20   200 ms",
    "B      m          2      2    100      50      20   200 ms",
    "all               3      4    130      50      40   400 ms",
    "",
    "speed-up by the run's own calls ×1.33   bound ×1.33   alpha 2   beta 1.25",
    "r_po 3   read from cache 38.46 %",
    "",
    "  0 ms         50 ms        100 ms       150 ms       200 ms       250 ms",
    "A ░░░░░░░░░░░░░████████████1█████████████████████████2",
    "B                           ░░░░░░░░░░░░░████████████1░░░░░░░░░░░░░████████████2",
    "                            ↑1                        ↑2",
    "░ before the first word   █ speaking   1 step 1 ends   ↑1 hears step 1",
    "",
    "answer:",
    "The answer is 4.",
    "",
  ]);
});

test("one part may be asked for, and one run of several", async () => {
  const both = await file("both.jsonl", lines(small) + lines(parallel));
  assert.equal((await trace([both, "--answer"])).out, "The answer is 4.\n\n7\n");
  assert.equal((await trace([both, "--answer", "--run", "parallel"])).out, "7\n");
  assert.equal((await trace([both, "--answer", "--run", "1"])).out, "The answer is 4.\n");
  assert.match((await trace([both, "--timeline", "--run", "2"])).out, /^ +0 ms.*\nA ░/);
  const { out } = await trace([both, "--transcript", "--run", "2"]);
  assert.match(out, /== C \(interrupted\)\n-- having heard A 1\nWell, \n-- interrupted by D: enough\n/);
  assert.match(out, /== E \(skipped\)\n/);
});

test("--json prints one object a run, with the contract's names and what was asked for besides", async () => {
  const both = await file("json.jsonl", lines(small) + lines(parallel));
  const serial = await file(
    "serial.jsonl",
    lines([...small.slice(0, -1), { type: "run-end", at: 360, reason: "done" }]),
  );
  const { out } = await trace([
    both,
    "--json",
    "--transcript",
    "--serial",
    serial,
    "--price",
    "input=5,cached=.5,output=25",
  ]);
  const [first, second, ...rest] = out
    .trimEnd()
    .split("\n")
    .map((line): any => JSON.parse(line));
  assert.deepEqual(rest, []);
  assert.deepEqual(
    [first.protocol, first.answer, first.wallMs, first.workingMs, first.alpha, first.beta, first.rPo],
    ["stream", "The answer is 4.", 300, 300, 2, 1.25, 3],
  );
  assert.deepEqual(first.usage, { calls: 3, inputTokens: 130, cachedTokens: 50, outputTokens: 40 });
  assert.equal(first.speedUp.vsSerial, 1.2);
  assert.equal(first.cost.currency, "USD");
  assert.ok(Math.abs(first.cost.amount - (80 * 5 + 50 * 0.5 + 40 * 25) / 1e6) < 1e-15);
  assert.equal(second.usage.estimated, true);
  assert.equal(second.cost.estimated, true);
  assert.equal(second.transcript.length, 5);
  assert.equal(second.timeline, undefined);
});

test("the list's price counts unless the run is simulated or a model is unknown", async () => {
  const [start, ...events] = small as [RunEvent & { type: "run-start" }, ...RunEvent[]];
  const agents = start.agents.map(({ id }) => ({ id, model: "gpt-4o" }));
  const costOf = async (first: RunEvent): Promise<number | null> => {
    const { out } = await trace([await file("price.jsonl", lines([first, ...events])), "--json"]);
    return (JSON.parse(out) as { cost: { amount: number } | null }).cost?.amount ?? null;
  };
  assert.ok(Math.abs((await costOf({ ...start, agents }))! - (80 * 2.5 + 50 * 1.25 + 40 * 10) / 1e6) < 1e-15);
  assert.equal(await costOf({ ...start, agents, simulated: true }), null);
  assert.equal(await costOf({ ...start, agents: [agents[0]!, { id: "B", model: "unknown" }] }), null);
});

test("a torn line is told on stderr and the rest is shown", async () => {
  const torn = await file("torn.jsonl", lines(small).slice(0, -12));
  const { out, err } = await trace([torn, "--answer"]);
  assert.equal(out, "The answer is 4.\n");
  assert.equal(err.replaceAll(folder, ""), "/torn.jsonl: line 19: this line was cut short and is left out\n");
  assert.match((await trace([torn])).out, /^run small: stream, not ended after 300 ms\n/);
});

test("what cannot be read is refused with the place and the reason", async () => {
  const whole = lines(small);
  const good = await file("good.jsonl", whole);
  assert.equal(await refusal([join(folder, "none")]), "/none: cannot be read: there is no such file");
  assert.equal(await refusal([folder]), ": cannot be read: it is a folder");
  assert.match(await refusal([await file("a", "hello\n")]), /^\/a: line 1: not a trace/);
  assert.match(
    await refusal([await file("b", whole.replace('"version":1', '"version":9'))]),
    /^\/b: line 1: version: .* version 9/,
  );
  assert.match(
    await refusal([await file("c", whole.replace('"seq":3', '"seq":"3"'))]),
    /^\/c: line 5: step\.seq: expected/,
  );
  assert.equal(await refusal([await file("d", "")]), "/d: there is no run in this file");
  assert.equal(await refusal([good, "--run", "7"]), '--run: no run "7" in /good.jsonl, which has 1: small');
  assert.match(await refusal([good, "--price", "5"]), /^--price: there is no "5" in a price/);
});

test("control characters in what models said never reach the terminal", async () => {
  const evil = small.map((event) =>
    "text" in event ? { ...event, text: `\u001b[2J${event.text}\u202e\r\u0007` } : event,
  );
  const path = await file("evil.jsonl", lines(evil));
  for (const args of [[], ["--answer"], ["--transcript"], ["--timeline"], ["--json"]]) {
    const { out } = await trace([path, ...args]);
    for (const character of out) assert.ok(character >= " " || character === "\n", JSON.stringify(character));
    if (args[0] !== "--json") assert.ok(!out.includes("\u202e"));
  }
});

test("narrow terminals, NO_COLOR and plain ASCII are respected", async () => {
  const path = await file("narrow.jsonl", lines(parallel));
  const env = { LANG: "C.UTF-8" };
  for (const columns of [30, 40, 60, 160]) {
    const { out } = await trace([path], { env: { ...env, NO_COLOR: "1" }, tty: true, columns });
    assert.ok(!out.includes("\u001b"));
    for (const line of out.split("\n")) assert.ok(width(line) <= columns, line);
  }
  assert.ok((await trace([path], { env, tty: true })).out.includes("\u001b["));
  assert.match(
    (await trace([path, "--timeline"], { env: { LANG: "C" }, tty: true })).out.replaceAll("\u001b", ""),
    /^[ -~\n]*$/,
  );
});
