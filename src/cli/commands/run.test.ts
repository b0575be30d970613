import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { RunEvent } from "../../core/types.ts";
import { runCommand } from "./run.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-run-"));
});
after(() => rm(folder, { recursive: true }));

async function duplexRun(
  args: readonly string[],
  isTTY = false,
): Promise<{ out: string; err: string; events: RunEvent[] }> {
  let [out, err] = ["", ""];
  const stdout = { write: (text: string) => ((out += text), true), isTTY, columns: 120 };
  const stderr = { write: (text: string) => ((err += text), true), isTTY: false };
  const io = { stdout, stderr, env: { TERM: "dumb" }, signal: new AbortController().signal } as never;
  await runCommand(io)
    .exitOverride()
    .parseAsync(["Which is heavier?", "--model", "simulated:ttft=1,decode=10000,prefill=100000", ...args], {
      from: "user",
    });
  const lines = args.includes("--json") ? out.trim().split("\n") : [];
  return { out, err, events: lines.map((line) => JSON.parse(line) as RunEvent) };
}

async function file(name: string, value: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify(value));
  return path;
}

const speakers = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === "turn-start" ? [event.agent] : []));

suite("a dialogue from the command line", () => {
  const three = () =>
    file("three.json", { agents: ["a", "b", "host"].map((id) => ({ id, instructions: `you are ${id}` })) });

  test("two ready-made agents speak in turn, and who proposes has the last word", async () => {
    const { events } = await duplexRun(["--protocol", "dialogue", "--rounds", "3", "--json"]);
    assert.deepEqual(speakers(events), ["proposer", "critic", "proposer", "critic", "proposer"]);
    assert.equal(events.find((event) => event.type === "run-start")?.protocol, "dialogue");
  });
  test("a person is not shown the delimiters that simulated agents say, neither as they speak nor in the answer", async () => {
    const { out } = await duplexRun(["--protocol", "dialogue"]);
    assert.match(out, /^Step \d+: .*\nStep \d+: /);
    assert.doesNotMatch(out, /END_STEP/);
    const { out: live } = await duplexRun(["--protocol", "dialogue"], true);
    assert.ok((live.match(/ \+ \d+ = \d+/g) ?? []).length >= 12);
    assert.doesNotMatch(live, /END|STEP/);
  });
  test("agents of a file take part, and those who may interrupt do so by the policy", async () => {
    const args = ["--topology", await three(), "--rounds", "1", "--policy", "after:1", "--chunk", "2", "--json"];
    const { events } = await duplexRun(["--protocol", "dialogue", "--listeners", "host", ...args]);
    const cuts = events.flatMap((event) => (event.type === "interrupt" ? [event.by] : []));
    assert.ok(cuts.length > 0 && cuts.every((by) => by === "host"), String(cuts));
    assert.deepEqual(speakers(events).slice(0, 2), ["a", "host"]);
  });
  test("a line that begins as told ends it, and the rest of that line is the answer", async () => {
    const { out } = await duplexRun(["--protocol", "dialogue", "--topology", await three(), "--until", "step 1"]);
    assert.match(out, /^\w.*\n$/);
    assert.doesNotMatch(out, /END_STEP/);
    const { events } = await duplexRun(["--protocol", "dialogue", "--rounds", "2", "--until", "step 1", "--json"]);
    assert.equal(speakers(events).length, 1);
  });
  test("what does not belong together is refused by the flag's name", async () => {
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [["--rounds", "2"], /^--rounds: is for --protocol dialogue/],
      [["--listeners", "a"], /^--listeners: is for --protocol dialogue/],
      [["--protocol", "dialogue", "--hear", "waiting"], /^--hear: is for the other protocols/],
      [["--protocol", "dialogue", "--steps", "3"], /^--steps: is for the other protocols/],
      [["--protocol", "segmented", "--hear", "waiting"], /^--hear: "waiting" depends on timing/],
      [["--protocol", "dialogue", "--agents", "3"], /^--agents: ready-made are 2 for a dialogue/],
      [["--protocol", "dialogue", "--topology", "tree"], /^--topology: a dialogue has no shape/],
      [["--protocol", "dialogue", "--listeners", "z"], /^--listeners: "z" is no agent \(proposer, critic\)/],
      [["--protocol", "dialogue", "--until", " "], /^--until: is empty/],
      [["--protocol", "dialogue", "--chunk", "0"], /^--chunk: must be a whole number/],
      [["--policy", "own:2"], /^--policy own:2: 2 is no threshold/],
    ];
    for (const [args, message] of wrong) await assert.rejects(duplexRun(args), { name: "ConfigError", message });
  });
});

test("a model that a topology file names wrongly is wrong in that file", async () => {
  const path = await file("odd.json", { agents: [{ id: "a", instructions: "x", model: "nonsense:1" }] });
  await assert.rejects(duplexRun(["--topology", path]), (error: Error) => {
    assert.ok(error.message.startsWith(`${path}: model: `), error.message);
    return error.name === "ConfigError";
  });
  await assert.rejects(duplexRun(["--model", "nonsense:1"]), /^ConfigError: --model: /);
});
