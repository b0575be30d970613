import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { heardEnough, loadTask, simulatedListeners, simulatedSpeakers } from "../eval/index.ts";
import { calibrated, featuresOf } from "../policies/index.ts";
import { fit } from "./fit.ts";
import { conservative, label } from "./label.ts";
import { checkApart, formatPoint, keyOf, parsePoints } from "./points.ts";
import type { DecisionPoint } from "./points.ts";
import { openPoints } from "./points-file.ts";
import { sample } from "./sample.ts";
import type { Sampling } from "./sample.ts";
import { all, draw, world } from "./world.fixture.ts";

test("The same seed gives the same tree, also where it was left off, and with samples side by side", async () => {
  const { points } = await all(world());
  assert.ok(points.length >= 10);
  assert.deepEqual(parsePoints(points.map(formatPoint).join("\n")), points);
  assert.deepEqual((await all(world())).points, points);
  const half = points.slice(0, 7);
  const rest = await all(world({ done: new Set(half.map(keyOf)) }));
  assert.deepEqual([...half, ...rest.points], points);
  const beside = await all(world({ concurrency: 3 }));
  assert.deepEqual(
    beside.points.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b))),
    points.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b))),
  );
});

test("Where nothing is left to chance one rollout of each action is all that is tried", async () => {
  const { points } = await all(world({ deterministic: true, samples: draw("train", 3) }));
  assert.ok(points.length > 6);
  for (const point of points) {
    // A wrong answer before enough was heard ends the conversation too, so no chance is left.
    assert.deepEqual([point.exact, point.cut.rollouts, point.full.rollouts, point.full.success], [true, 1, 1, 1]);
    assert.ok(point.cut.cost <= point.full.cost);
  }
});

test("Cutting after what is needed succeeds and saves, and cutting before it mostly does not", async () => {
  const samples = draw("train", 6);
  const { points } = await all(world({ samples }));
  for (const point of points) {
    const [needs = []] = samples.find(({ id }) => id === point.sample)?.enough ?? [];
    const known = needs.every(({ said }) => point.text.includes(said));
    // A cut in a message's last chunk saves nothing.
    if (known) assert.equal(conservative(point), point.cut.cost < point.full.cost ? 1 : 0);
    else assert.ok(point.cut.success < 1);
  }
});

test("A cut too early that gives the floor back never pays: what is left of the message is heard to its end", async () => {
  const open = await loadTask("report:facts=6");
  const samples = open.samples({ split: "train", size: 6, seed: 1 });
  const { points } = await all(world({ task: open, samples, deterministic: true, rollouts: 4, chunk: 6, chance: 0.5 }));
  const truth = new Map(samples.map((each) => [each.id, each]));
  const early = (point: DecisionPoint) =>
    heardEnough([{ agent: point.speaker, text: point.text }], truth.get(point.sample)!) !== true;
  assert.ok(points.some(early) && points.some((point) => !early(point)));
  for (const point of points) {
    // Nothing is left to chance either.
    assert.deepEqual([point.exact, point.cut.success], [true, 1], point.text);
    if (early(point)) assert.ok(point.cut.cost > point.full.cost, point.text);
    else assert.ok(point.cut.cost <= point.full.cost, point.text);
  }
});

test("Where others speak behind the node, chance is rolled out more than once", async () => {
  const talk = await loadTask("meeting");
  const samples = talk.samples({ split: "train", size: 1, seed: 1 });
  const { points } = await all(world({ task: talk, samples, speaker: simulatedSpeakers(), nodes: 4, rollouts: 4 }));
  assert.ok(points.some(({ exact, cut }) => exact !== true && cut.rollouts > 1));
});

test("Below a cut the conversation goes on, and its nodes know the way there", async () => {
  const open = await loadTask("pictionary");
  const samples = open.samples({ split: "train", size: 1, seed: 2 });
  const speaker = simulatedSpeakers();
  const poor = simulatedListeners({ accuracy: 0.01 });
  const sampling = world({
    task: open,
    samples,
    speaker,
    listener: poor,
    depth: 1,
    branches: 2,
    nodes: 3,
    rollouts: 2,
  });
  const { points } = await all(sampling);
  const roots = points.filter(({ path }) => path === "");
  const below = points.filter(({ path }) => path !== "");
  assert.ok(roots.length <= 3 && below.length > 0, `${roots.length} and ${below.length}`);
  const spots = roots.map((root) => [root.listener, root.speaker, root.turn, root.chunk].join("."));
  for (const { path } of below) assert.ok(spots.includes(path));
  assert.deepEqual([...new Set(points.map(({ about }) => about))], [samples[0]?.answer.about]);
  assert.match(points[0]?.about ?? "", /^Which word is described\?/);
  assert.ok(new Set(below.map(({ path }) => path)).size <= 2);
});

test("Messages are generated once, and adaptive rollouts reach the labels of the paper's scheme with half its tokens", async () => {
  const samples = draw("train", 5);
  const truth = new Map<string, boolean>();
  const base = { samples, listener: simulatedListeners({ accuracy: 0.9 }), chunk: 12 };
  const paper = await all(world({ ...base, scheme: "paper" }));
  const adaptive = await all(world(base));
  for (const point of paper.points) {
    const [needs = []] = samples.find(({ id }) => id === point.sample)?.enough ?? [];
    truth.set(
      keyOf(point),
      needs.every(({ said }) => point.text.includes(said)),
    );
  }
  const right = ({ points }: typeof paper) =>
    points.filter((point) => (conservative(point) === 1) === truth.get(keyOf(point))).length / points.length;
  assert.ok(right(adaptive) >= right(paper), `${right(adaptive)} and ${right(paper)}`);
  const { generated } = adaptive.spent;
  assert.ok(2 * generated <= paper.spent.generated, `${generated} and ${paper.spent.generated}`);
});

test("From sampling to a policy: labels with features become weights that are for other samples", async () => {
  const features = ["margin", "entropy", "chunks"] as const;
  const candidates = (hearing: { messages: () => readonly { content: string }[] }) => {
    const told = hearing
      .messages()
      .map(({ content }) => content)
      .join("\n");
    return /It is one of: ([^.]+(?:\.[^.\s]+)*)\. /.exec(told)?.[1]?.split(" | ");
  };
  const measure = { features, of: featuresOf({ features, answer: { candidates } }) };
  const train = await all(world({ samples: draw("train", 8), measure }));
  const dev = await all(world({ samples: draw("dev", 5), measure }));
  checkApart(train.points, dev.points);
  const { weights, auc, rule } = fit(label(train.points), { dev: dev.points });
  assert.ok(auc > 0.9, `${auc}`);
  assert.ok(rule.pays && rule.played.success >= rule.full.success - 0.01);
  assert.equal(calibrated(weights).name, "calibrated");
});

test("All rollouts of a sample are one session to a listener, so that a local model reads on from what it has read", async () => {
  const sessions = new Set<string>();
  const made = simulatedListeners({ accuracy: 1 });
  const listener: Sampling["listener"] = (seat) => {
    const model = made(seat);
    return {
      ...model,
      stream: (request) => {
        sessions.add(request.session ?? "none");
        return model.stream(request);
      },
    };
  };
  await all(world({ samples: draw("train", 2), listener }));
  assert.equal(sessions.size, 2);
});

test("A model that leaves nothing to chance says each thing once, however many rollouts there are", async () => {
  const asked: string[] = [];
  const made = simulatedListeners({ accuracy: 1 });
  const listener: Sampling["listener"] = (seat) => {
    const { simulated: _, ...model } = made({ ...seat, seed: 1 });
    return {
      ...model,
      stream: (request) => {
        asked.push(JSON.stringify(request.messages));
        return model.stream(request);
      },
    };
  };
  const { points } = await all(world({ samples: draw("train", 2), listener, rollouts: 6 }));
  assert.ok(points.some(({ cut }) => cut.rollouts > 1));
  assert.equal(new Set(asked).size, asked.length);
});

test("Settings that cannot be are named, and a signal ends it", async () => {
  await assert.rejects(all(world({ rollouts: 0 })), /rollouts: must be a whole number/);
  await assert.rejects(all(world({ chance: 2 })), /chance: must be from 0 to 1/);
  await assert.rejects(all(world({ samples: [] })), /samples: there are none/);
  await assert.rejects(all(world({ scheme: "best" as never })), /neither adaptive nor paper/);
  const stop = new AbortController();
  const reason = new Error("enough");
  const run = async () => {
    for await (const _ of sample(world({ signal: stop.signal }))) stop.abort(reason);
  };
  await assert.rejects(run(), reason);
});

/** Lets a process sample into the file and kills it, without a chance to say anything, once it has kept so many points. */
function killedAfter(path: string, kept: number): Promise<string | null> {
  const script = fileURLToPath(new URL("./killed.fixture.js", import.meta.url));
  const child = spawn(process.execPath, [script, path], { stdio: ["ignore", "pipe", "inherit"] });
  let lines = 0;
  createInterface(child.stdout).on("line", () => {
    if (++lines === kept) child.kill("SIGKILL");
  });
  return new Promise((resolve) => child.on("close", (_, signal) => resolve(signal)));
}

test("Killed and started again, sampling neither repeats nor loses a point", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duplex-killed-"));
  const path = join(folder, "points.jsonl");
  try {
    assert.equal(await killedAfter(path, 3), "SIGKILL");
    const file = await openPoints(path, { seed: 1 });
    assert.ok(file.done.length >= 3);
    const rest = await all(world({ done: file.keys, provenance: { seed: 1 } }));
    await file.close();
    const { points } = await all(world({ provenance: { seed: 1 } }));
    assert.deepEqual([...file.done, ...rest.points], points);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("Where the disk is full one line says so, and with room again sampling goes on where it was", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duplex-full-"));
  const path = join(folder, "points.jsonl");
  const script = fileURLToPath(new URL("./killed.fixture.js", import.meta.url));
  try {
    // A file may have 8 KiB at most: the next byte fails, as on a full disk.
    const limited = `ulimit -f 8; exec "${process.execPath}" "${script}" "${path}"`;
    const child = spawn("bash", ["-c", limited], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    await new Promise((resolve) => child.on("close", resolve));
    assert.match(said, /points\.jsonl: cannot be written: .*; what is in it is kept/);
    const file = await openPoints(path, { seed: 1 });
    assert.ok(file.done.length >= 2);
    const rest = await all(world({ done: file.keys, provenance: { seed: 1 } }));
    for (const point of rest.points) await file.add(point);
    await file.close();
    const whole = await openPoints(path, { seed: 1 });
    await whole.close();
    assert.deepEqual(whole.done, (await all(world({ provenance: { seed: 1 } }))).points);
  } finally {
    await rm(folder, { recursive: true });
  }
});
