import assert from "node:assert/strict";
import { test } from "node:test";
import { armsNamed, loadTask, recited, simulatedListeners, template } from "../eval/index.ts";
import { interruptionExperiment } from "./interruption.ts";
import type { Sample } from "./sample.ts";
import { symmetricScene } from "./talks.ts";
import type { Scene } from "./talks.ts";

const unhindered = new AbortController().signal;

async function sceneOf(policies: readonly string[], more: Partial<Scene["setting"]> = {}): Promise<Scene> {
  const task = await loadTask("report:choices=8");
  const setting = {
    task,
    speaker: template(),
    listener: simulatedListeners(),
    chunk: 8,
    temperature: 0,
    maxTokens: 64,
    pace: "lockstep" as const,
    virtual: true,
    ...more,
  };
  return {
    task: task.name,
    speaker: "template",
    listener: "simulated",
    chunk: setting.chunk,
    symmetric: false,
    samples: task.samples({ split: "test", size: 6, seed: 1 }),
    arms: armsNamed(policies),
    setting,
  };
}

async function played(scenes: readonly Scene[]) {
  const options = { scenes, seed: 1, repeats: 1, provenance: {}, identity: {}, simulated: true };
  const setup = interruptionExperiment(options);
  const samples: Sample[] = [];
  for (const cell of setup.cells) samples.push(await setup.play(cell, unhindered));
  return { samples, findings: setup.findings(samples, { command: "", version: "" }) };
}

test("a fixed cut halves what is spoken where the message is twice as long, and the parts of the cost add up", async () => {
  const { samples, findings } = await played([await sceneOf(["after:2", "own:0.8"])]);
  for (const { figures } of samples) {
    const { spoken = 0, overrun = 0, decisions = 0, replies = 0, total } = figures;
    assert.equal(spoken + overrun + decisions + replies, total);
  }
  const cut = samples.filter(({ arm }) => arm.endsWith("| after:2"));
  assert.ok(cut.length === 6 && cut.every(({ figures }) => figures["spoken"] === 16 && figures["cuts"] === 1));
  const rows = findings.sections[0]?.tables?.[0]?.rows ?? [];
  assert.deepEqual(
    rows.map(([policy]) => policy),
    ["never", "after:2", "own:0.8"],
  );
});

test("a policy's own cost is what it read and said to decide, and nothing where it asks nobody", async () => {
  const { findings } = await played([await sceneOf(["after:2", "own:0.8"])]);
  const own = findings.sections.find(({ title }) => title === "What deciding costs itself");
  const rows = own?.tables?.[0]?.rows ?? [];
  assert.deepEqual(
    rows.map((row) => [row[1], Number(row[3]) > 0]),
    [
      ["never", false],
      ["after:2", false],
      ["own:0.8", true],
    ],
  );
});

test("where everybody may cut in, each role is played by whom it was, and the other side cuts as well", async () => {
  const scene = await sceneOf(["after:1"], {
    speaker: recited(["The gate is A4. ".repeat(8), "I have said it all. ".repeat(8)]),
    listener: recited(["I will answer at length. ".repeat(8), "Answer: A4"]),
    virtual: false,
    chunk: 4,
  });
  const { samples } = await played([scene, symmetricScene(scene)]);
  const cuts = (arm: RegExp) =>
    samples.filter((sample) => arm.test(sample.arm)).map(({ figures }) => figures["cuts"] ?? 0);
  const [plain, symmetric] = [cuts(/^report:\S+ \| .*after:1/), cuts(/symmetric .*after:1/)];
  assert.equal(symmetric.length, 6);
  assert.ok(symmetric.every((count, index) => count >= plain[index]!));
  assert.ok(
    symmetric.some((count, index) => count > plain[index]!),
    `${symmetric.join()} and ${plain.join()}`,
  );
});

test("what changes with chunk and task is told where there are several", async () => {
  const scene = await sceneOf(["after:1"]);
  const wider = await sceneOf(["after:1"], { chunk: 24 });
  const one = await played([scene]);
  assert.ok(!one.findings.sections.some(({ title }) => title === "Chunk sizes" || title === "Transfer"));
  const two = await played([scene, wider, { ...wider, listener: "another" }]);
  const figures = two.findings.sections.find(({ title }) => title === "Chunk sizes")?.figures ?? [];
  assert.deepEqual(
    figures[0]?.series[0]?.points.map(({ x }) => x),
    [8, 24],
  );
  const transfer = two.findings.sections.find(({ title }) => title === "Transfer")?.tables ?? [];
  assert.deepEqual(
    transfer.map(({ columns }) => columns.slice(2)),
    [["simulated", "another"]],
  );
});
