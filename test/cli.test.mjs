// The command line, end to end: the built program as a process of its own. DUPLEX_BIN names another build.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const bin = resolve(process.env.DUPLEX_BIN ?? fileURLToPath(new URL("../dist/cli/main.js", import.meta.url)));
const fast = "simulated:ttft=5,decode=4000";
const { DUPLEX_API_KEY: _a, OPENAI_API_KEY: _b, DUPLEX_MODEL: _c, DUPLEX_DEBUG: _d, ...clean } = process.env;

let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-cli-"));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Starts the program; `on` sees each piece of standard output and the process. */
function duplex(args, { env = {}, input, on } = {}) {
  const child = spawn(process.execPath, [bin, ...args], { env: { ...clean, ...env }, cwd: folder });
  const result = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    result.stdout += text;
    on?.(text, child);
  });
  child.stderr.setEncoding("utf8").on("data", (text) => (result.stderr += text));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((done) => child.on("close", (code) => done({ ...result, code })));
}

const jsonLines = (text) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** One line for people that names the place, and nothing on standard output. */
function assertRefused({ code, stdout, stderr }, { exit, names }) {
  assert.equal(code, exit, stderr);
  assert.match(stderr, /^duplex: [^\n]+\n$/, "one line");
  assert.doesNotMatch(stderr, /\.js:\d+|Error:/, "no stack trace");
  for (const name of [names].flat()) assert.ok(stderr.includes(name), `${stderr} names ${name}`);
  assert.equal(stdout, "");
}

/** Runs a few at a time: each is a process. */
async function each(items, work) {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all([worker(), worker(), worker()]);
}

/** A server on loopback that answers each request so. */
async function serving(context, answer) {
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(request, response));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const close = () =>
    new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    });
  context.after(close);
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close };
}

describe("duplex", { concurrency: 3 }, () => {
  describe("help", () => {
    test("help, version and examples of each command cost nothing and exit with 0", async () => {
      const commands = ["demo", "run", "compare", "trace", "models", "simulate"];
      await each([["--help"], ["--version"], ...commands.map((name) => [name, "--help"])], async (args) => {
        const { code, stdout, stderr } = await duplex(args);
        assert.deepEqual([code, stderr], [0, ""], args.join(" "));
        if (args[0] === "--version") assert.match(stdout, /^\d+\.\d+\.\d+/);
        else assert.match(stdout, /^Examples:$/m, args.join(" "));
        if (args[0] === "--help") for (const name of commands) assert.match(stdout, new RegExp(`^  ${name} `, "m"));
      });
    });
  });

  describe("run", { concurrency: 2 }, () => {
    test("a pipe gets the answer alone", async () => {
      const { code, stdout, stderr } = await duplex(["run", "What is asked?", "--model", fast, "--steps", "3"]);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /^Step 3: .*\n$/);
    });

    test("with --json each event is a line, and a task comes from standard input, a file or the words alike", async () => {
      await writeFile(join(folder, "task.txt"), "What is asked?\n");
      const ways = [
        [["-"], "What is asked?"],
        [["--file", "task.txt"], ""],
        [["What is asked?"], ""],
      ];
      await each(ways, async ([args, input]) => {
        const { code, stdout } = await duplex(["run", ...args, "--model", fast, "--json", "--agents", "3"], { input });
        const events = jsonLines(stdout);
        assert.equal(code, 0);
        assert.deepEqual([events[0].type, events[0].task, events[0].simulated], ["run-start", "What is asked?", true]);
        assert.equal(events.at(-1).type, "run-end");
        assert.equal(events.filter(({ type }) => type === "agent-end").length, 3);
      });
    });

    test("a task of a megabyte is taken", async () => {
      await writeFile(join(folder, "large.txt"), "word ".repeat(2 ** 20 / 5));
      const args = [
        "--file",
        "large.txt",
        "--model",
        `${fast},prefill=Infinity`,
        "--agents",
        "1",
        "--steps",
        "1",
        "--json",
      ];
      const { code, stdout } = await duplex(["run", ...args]);
      assert.equal(code, 0);
      assert.ok(jsonLines(stdout)[0].task.length > 2 ** 20 - 10);
    });

    test("the trace is what happened, and a second run is appended to it", async () => {
      const trace = join(folder, "run.jsonl");
      const args = ["run", "TASK", "--model", fast, "--trace", trace, "--json"];
      const first = await duplex(args);
      assert.equal(await readFile(trace, "utf8"), first.stdout);
      // As a crash leaves it.
      await writeFile(trace, '{"type":"chu', { flag: "a" });
      const second = await duplex(args);
      assert.equal(await readFile(trace, "utf8"), `${first.stdout}{"type":"chu\n${second.stdout}`);
    });

    test("a trace that cannot be written loses the trace and not the run", async () => {
      const places = [join(folder, "missing", "run.jsonl"), folder, ...(existsSync("/dev/full") ? ["/dev/full"] : [])];
      await each(places, async (place) => {
        const { code, stdout, stderr } = await duplex(["run", "TASK", "--model", fast, "--trace", place]);
        assert.equal(code, 0);
        assert.match(stdout, /^Step \d/);
        assert.match(stderr, /^duplex: [^\n]+\n$/);
        assert.ok(stderr.includes(place));
      });
    });

    test("Ctrl-C ends it with 130 and keeps the trace with its terminal events", async () => {
      const trace = join(folder, "cut.jsonl");
      let sent = false;
      const on = (text, child) => {
        if (!sent && text.includes('"chunk"')) sent = child.kill("SIGINT");
      };
      const args = ["run", "TASK", "--model", "simulated:ttft=5,decode=20", "--json", "--trace", trace];
      const { code, stderr } = await duplex(args, { on });
      assert.deepEqual([code, stderr], [130, ""]);
      const events = jsonLines(await readFile(trace, "utf8"));
      assert.deepEqual([events.at(-1).type, events.at(-1).reason], ["run-end", "cancelled"]);
      const ends = events.filter(({ type }) => type === "agent-end").map(({ reason }) => reason);
      assert.deepEqual(ends, ["cancelled", "cancelled"]);
    });

    test("a reader that leaves ends it quietly", async () => {
      let left = false;
      const on = (_text, child) => {
        if (!left) child.stdout.destroy();
        left = true;
      };
      const { code, stderr } = await duplex(["run", "TASK", "--model", "simulated:ttft=5,decode=50", "--json"], { on });
      assert.deepEqual([code, stderr], [141, ""]);
    });

    test("a run that takes too long, or a model that falls silent, fails with 1", async () => {
      const late = ["run", "TASK", "--model", "simulated:decode=20", "--timeout", "0.2"];
      const silent = ["run", "TASK", "--model", "simulated:ttft=5,decode=1000,stall=1", "--idle", "0.2"];
      assertRefused(await duplex(late), { exit: 1, names: "--timeout" });
      assertRefused(await duplex(silent), { exit: 1, names: "simulated" });
    });

    test("control characters of a model do not reach a terminal's reader raw in the answer", async (context) => {
      const server = await serving(context, (_, response) => {
        const say = (content, reason) =>
          response.write(`data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: reason }] })}\n\n`);
        response.writeHead(200, { "content-type": "text/event-stream" });
        say("red \u001b[31m text\u0007", null);
        say("", "stop");
        response.end("data: [DONE]\n\n");
      });
      const { code, stdout } = await duplex(["run", "TASK", "--model", `openai:m@${server.url}`, "--agents", "1"]);
      assert.deepEqual([code, stdout], [0, "red \\x1b[31m text\\x07\n"]);
    });
  });

  describe("compare", { concurrency: 2 }, () => {
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
        for (const name of ["calls", "inputTokens", "cachedTokens", "outputTokens"])
          assert.ok(number(line.usage[name]));
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
      assert.doesNotMatch(stdout, /\u001b/);
      const axes = stdout.split("\n").filter((line) => /^ +0 m?s /.test(line));
      assert.equal(axes.length, 2);
      assert.equal(axes[0], axes[1]);
      const [told] = stdout.split(/^answer/m);
      for (const line of told.split("\n")) assert.ok(line.length <= 80, line);
    });
  });

  describe("demo", () => {
    test("runs without a model or a network, and says so", async () => {
      const empty = join(folder, "cache");
      const { code, stdout, stderr } = await duplex(["demo", "--no-fetch", "--quick"], {
        env: { DUPLEX_CACHE: empty },
      });
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /No real model can run here/);
      assert.match(stdout, /simulated/);
      assert.match(stdout, /^Part 2 of 2/m);
      assert.equal(stdout.match(/^Stream took/gm)?.length, 2);
    });
  });

  describe("wrong use ends with 2 and one line that names the place", () => {
    const wrong = [
      [["run"], "task"],
      [["run", ""], "task"],
      [["run", " \n "], "task"],
      [["run", "T", "--file", "t.txt"], "--file"],
      [["run", "--file", "missing.txt"], "missing.txt"],
      [["run", "--file", "huge.txt"], "--file"],
      [
        ["run", "T", "--model", "gpt"],
        ["--model", "llama:NAME"],
      ],
      [
        ["run", "T", "--model", "simulated:speed=3"],
        ["speed", "decode"],
      ],
      [
        ["run", "T", "--model", "openai:gpt-4.1-mini"],
        ["--model", "OPENAI_API_KEY"],
      ],
      [["run", "T", "--model", "llama:./missing.gguf"], "missing.gguf"],
      [["run", "T", "--model", "llama:./cut.gguf"], "cut.gguf"],
      [["run", "T", "--model", "llama:nothing"], "smollm2-135m"],
      [
        ["run", "T", "--model", fast, "--topology", "star"],
        ["--topology", "chain"],
      ],
      [
        ["run", "T", "--model", fast, "--protocol", "shout"],
        ["--protocol", "segmented"],
      ],
      [
        ["run", "T", "--model", fast, "--splitter", "words"],
        ["--splitter", "sentence"],
      ],
      [["run", "T", "--model", fast, "--join", "maybe"], "--join"],
      [["run", "T", "--model", fast, "--hear", "waiting", "--protocol", "segmented"], "hear"],
      [
        ["run", "T", "--model", fast, "--agents", "0"],
        ["--agents", "0"],
      ],
      [
        ["run", "T", "--model", fast, "--agents", "-3"],
        ["--agents", "-3"],
      ],
      [
        ["run", "T", "--model", fast, "--steps", "-1"],
        ["--steps", "-1"],
      ],
      [
        ["run", "T", "--model", fast, "--max-tokens", "1.5"],
        ["--max-tokens", "1.5"],
      ],
      [["run", "T", "--model", fast, "--temperature", "-1"], "--temperature"],
      [["run", "T", "--model", fast, "--timeout", "0"], "--timeout"],
      [["run", "T", "--model", fast, "--idle", "soon"], "--idle"],
      [["run", "T", "--model", fast, "--price", "output=3"], "--price"],
      [["run", "T", "more", "words"], "arguments"],
      [["run", "T", "--nonsense"], "--nonsense"],
      [
        ["compare", "T", "--model", fast, "--protocols", "stream,shout"],
        ["--protocols", "shout"],
      ],
      [["compare", "T", "--model", fast, "--repeats", "0"], "--repeats"],
      [["sing"], "sing"],
      [["run", "T", "--model", fast, "--topology", "missing.json"], "missing.json"],
      [
        ["run", "T", "--model", fast, "--topology", "broken.json"],
        ["broken.json", "not JSON"],
      ],
      [
        ["run", "T", "--model", fast, "--topology", "cycle.json"],
        ["cycle.json", "A -> B -> A"],
      ],
      [
        ["run", "T", "--model", fast, "--topology", "self.json"],
        ["self.json", "A.next[0]"],
      ],
      [
        ["run", "T", "--model", fast, "--topology", "unknown.json"],
        ["unknown.json", "A.next[0]", '"C"'],
      ],
      [
        ["run", "T", "--model", fast, "--topology", "twice.json"],
        ["twice.json", "agents[1].id"],
      ],
      [
        ["run", "T", "--model", fast, "--topology", "edge.json"],
        ["edge.json", "edges[1]"],
      ],
      [
        ["run", "T", "--model", fast, "--topology", "nobody.json"],
        ["nobody.json", "agents"],
      ],
      [
        ["run", "T", "--topology", "named.json"],
        ["--model", '"oracle"'],
      ],
    ];
    const agent = (next, more = {}) => ({ system_prompt: "Work.", next, ...more });
    const listed = (ids, edges) => ({ agents: ids.map((id) => ({ id, instructions: "Work." })), edges });
    const files = {
      "huge.txt": "x".repeat(2 ** 20 + 1),
      "cut.gguf": `GGUF\u0003\0\0\0`,
      "broken.json": "{",
      "cycle.json": JSON.stringify({ A: agent(["B"]), B: agent(["A"]) }),
      "self.json": JSON.stringify({ A: agent(["A"]) }),
      "unknown.json": JSON.stringify({ A: agent(["C"]), B: agent([]) }),
      "twice.json": JSON.stringify(listed(["A", "A"], [])),
      "edge.json": JSON.stringify(
        listed(
          ["A", "B"],
          [
            ["A", "B"],
            ["A", "B"],
          ],
        ),
      ),
      "nobody.json": JSON.stringify(listed([], [])),
      "named.json": JSON.stringify({ A: agent([], { model: "oracle" }) }),
    };
    test("for each of many mistakes", async () => {
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
      await each(wrong, async ([args, names]) => assertRefused(await duplex(args), { exit: 2, names }));
    });
  });

  describe("a provider that fails ends a run with 1 and one line that names it", () => {
    const events = { "content-type": "text/event-stream" };
    const answers = {
      401: ["401", (response) => response.writeHead(401).end('{"error":{"message":"bad key"}}')],
      404: ["404", (response) => response.writeHead(404).end('{"error":{"message":"no such model"}}')],
      html: [
        "HTML",
        (response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Hi"),
      ],
      json: [
        "JSON",
        (response) =>
          response
            .writeHead(200, events)
            .end('data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"choices":[{"del\n\ndata: [DONE]\n\n'),
      ],
    };
    test("unreachable, 401, 404, HTML instead of events, broken JSON in the middle", async (context) => {
      const server = await serving(context, (request, response) => answers[request.url.split("/")[1]][1](response));
      const base = server.url.replace("/v1", "");
      const env = { DUPLEX_API_KEY: "sk-very-secret" };
      await each(Object.entries(answers), async ([path, [names]]) => {
        const result = await duplex(["run", "T", "--model", `openai:m@${base}/${path}`], { env });
        assertRefused(result, { exit: 1, names: [names, base] });
        assert.ok(!result.stderr.includes("very-secret"));
      });
      await server.close();
      assertRefused(await duplex(["run", "T", "--model", `openai:m@${base}/v1,retries=0`], { env }), {
        exit: 1,
        names: base,
      });
    });
  });

  test("standard output that is a file or closed does no harm", async () => {
    const fd = openSync(join(folder, "out.jsonl"), "w");
    const child = spawn(process.execPath, [bin, "run", "T", "--model", fast, "--json"], {
      stdio: ["ignore", fd, "pipe"],
    });
    const code = await new Promise((done) => child.on("close", done));
    closeSync(fd);
    assert.equal(code, 0);
    assert.equal(jsonLines(await readFile(join(folder, "out.jsonl"), "utf8")).at(-1).type, "run-end");
  });
});
