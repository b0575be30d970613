import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { viewCommand } from "../dist/cli/commands/view.js";
import { openInBrowser } from "../dist/viewer/index.js";
import { findingsLines } from "../dist/eval/findings-markdown.js";
import { cutDialogue, findingsSample } from "../docs/images/runs.mjs";
import { ensureBundle } from "./viewer-browser.mjs";

let folder;
let lines;
before(async () => {
  ensureBundle();
  folder = mkdtempSync(join(tmpdir(), "duplex-view-"));
  lines = (await cutDialogue()).map((event) => JSON.stringify(event));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const file = (name, text) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const dataOf = (html) => JSON.parse(/<script type="application\/json" id="data">(.*)<\/script>/.exec(html)[1]);

/** Runs the command; `onLine` sees what it prints. */
async function view(args, { onLine = () => undefined, signal = new AbortController().signal } = {}) {
  const out = { stdout: "", stderr: "" };
  const to = (name) => ({ write: (text) => ((out[name] += text), name === "stdout" && onLine(text)) });
  const io = { stdout: to("stdout"), stderr: to("stderr"), env: {}, signal };
  await viewCommand(io).exitOverride().parseAsync(args, { from: "user" });
  return out;
}

test("-o writes one file that fetches nothing and lets nothing else run", async () => {
  const output = join(folder, "page.html");
  const { stdout } = await view([file("run.jsonl", lines.join("\n")), "-o", output, "--price", "input=1,output=2"]);
  assert.equal(stdout, `${output}\n`);
  const html = readFileSync(output, "utf8");
  assert.match(html, /Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/);
  assert.doesNotMatch(html, /<(?:script|link|img)[^>]+(?:src|href)="(?!data:)/);
  const { traces, prices, live } = dataOf(html);
  assert.deepEqual([traces.length, traces[0].name, live], [1, "dialogue", false]);
  assert.equal(traces[0].events.length, lines.length);
  assert.deepEqual(prices.large, { currency: "USD", input: 1, cached: 1, output: 2 });
});

test("a torn trace is shown with what it lacks; another version and other files are refused in one line", async () => {
  const output = join(folder, "torn.html");
  const torn = file("torn.jsonl", `${lines.slice(0, 9).join("\n")}\n${lines[9].slice(0, 20)}`);
  const { stderr } = await view([torn, "-o", output]);
  assert.match(stderr, /torn\.jsonl: line 10: this line was cut short and is left out/);
  assert.match(dataOf(readFileSync(output, "utf8")).traces[0].problem, /^torn\.jsonl: line 10/);
  const old = file("old.jsonl", lines[0].replace('"version":1', '"version":2'));
  await assert.rejects(view([old]), /old\.jsonl: line 1: version: this trace has version 2 and only version 1/);
  await assert.rejects(view([file("empty.jsonl", "")]), /there is no run in this file/);
  await assert.rejects(view([file("prose.txt", "hello")]), /prose\.txt: line 1: not a trace/);
  await assert.rejects(view([join(folder, "none.jsonl")]), /none\.jsonl: cannot be read: there is no such file/);
  await assert.rejects(view([folder]), /cannot be read: it is a folder/);
  await assert.rejects(
    view([file("run.jsonl", lines.join("\n")), "-o", join(folder, "no", "where")]),
    /--output: .* cannot be written/,
  );
});

test("without -o the page is served on this machine alone, until the signal", async () => {
  const ends = new AbortController();
  let told;
  const url = new Promise((resolve) => (told = resolve));
  const done = view([file("run.jsonl", lines.join("\n"))], {
    onLine: (text) => told(text.trim()),
    signal: ends.signal,
  });
  const address = await url;
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/$/);
  const answer = await fetch(address);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  assert.match(await answer.text(), /^<!doctype html>/);
  assert.equal((await fetch(`${address}../etc/passwd`)).status, 404);
  assert.equal((await fetch(address, { method: "POST" })).status, 405);
  assert.equal(await statusWithHost(address, "evil.example"), 403);
  ends.abort();
  await done;
});

async function statusWithHost(address, host) {
  const { request } = await import("node:http");
  return new Promise((resolve, reject) => {
    request(address, { headers: { host } }, (response) => resolve(response.resume().statusCode))
      .on("error", reject)
      .end();
  });
}

test("results stand in the page beside traces", async () => {
  const output = join(folder, "results.html");
  const results = file("results.jsonl", `${JSON.stringify({ policy: "never", success: 1, cost: {} })}\n{"torn`);
  const { stderr } = await view([file("run.jsonl", lines.join("\n")), "--compare", results, "-o", output]);
  assert.match(stderr, /results\.jsonl: lines that are no results are left out: 1/);
  const data = dataOf(readFileSync(output, "utf8"));
  assert.deepEqual([data.traces.length, data.results.length], [1, 1]);
});

test("an experiment's report and an evaluation's log stand in the page", async () => {
  const findings = findingsSample();
  const json = file("findings.json", JSON.stringify(findings, undefined, 2));
  const report = file("report.jsonl", findingsLines(findings));
  const result = (policy, success) => ({
    sample: "s1",
    of: "0",
    repeat: 0,
    policy,
    success,
    detail: "",
    simulated: true,
    notes: [],
    cuts: [],
    rounds: 1,
    messages: 1,
    wallMs: 10,
    decisionMs: 0,
    floorBack: 0,
    answerMs: null,
    cost: { spoken: 30, overrun: 0, decisions: 0, replies: 0 },
    usage: { calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: 30 },
    decisionUsage: { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
    decided: { wait: 0, interrupt: 0, late: 0, timeout: 0, failed: 0, odd: 0 },
  });
  const head = { type: "duplex-eval", version: 1, identity: { task: "report", seed: 2 } };
  const rows = [head, result("never", 1), result("after:3", 0)].map((line) => JSON.stringify(line));
  const log = file("eval.log", `${rows.join("\n")}\n{"torn`);
  const output = join(folder, "all.html");
  const { stderr } = await view([json, "--compare", report, "--compare", log, "-o", output]);
  assert.match(stderr, /eval\.log: lines that are no results are left out: 1/);
  const data = dataOf(readFileSync(output, "utf8"));
  const figures = (all) => all.sections.flatMap((section) => section.figures ?? []);
  assert.deepEqual(figures(data.findings[1]), figures(data.findings[0]));
  const named = data.results.map(({ task, policy, success }) => [task, policy, success]);
  assert.deepEqual(named, [
    ["report", "never", 1],
    ["report", "after:3", 0],
  ]);
  const bad = file("bad.json", JSON.stringify({ title: "x", sections: 3 }, undefined, 1));
  await assert.rejects(view([bad]), /bad\.json: simulated: these are no findings: true or false is expected/);
  await assert.rejects(view([file("none.log", `${rows[0]}\n`)]), /none\.log: there is no result in this file yet/);
});

test("where there is no desktop, or none of its programs, opening does nothing", async () => {
  openInBrowser("http://127.0.0.1:1/", {}, "linux");
  const path = process.env["PATH"];
  process.env["PATH"] = "";
  openInBrowser("http://127.0.0.1:1/", { DISPLAY: ":0" }, "linux");
  process.env["PATH"] = path;
  await new Promise((resolve) => setImmediate(resolve));
});
