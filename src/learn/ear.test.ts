import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pick, random } from "../base/random.ts";
import type { Hearing } from "../core/policy.ts";
import { tinyGguf } from "../testing/gguf.ts";
import { policySuite } from "../testing/policy-suite.ts";
import { hearing } from "../policies/hearing.fixture.ts";
import { fitEar } from "./ear.ts";
import { earSchema, readEar } from "./ear-file.ts";
import type { EarFile } from "./ear-file.ts";
import { earHandler, remoteEar } from "./ear-server.ts";
import { ear, earOn, openEar, oddsOf } from "./ear-policy.ts";
import { cachedEar, checkHead, growEar } from "./head.ts";
import { shapeOf } from "../models/llama/gguf-write.ts";
import { label } from "./label.ts";
import { toQwen2 } from "./qwen2.fixture.ts";
import { patient } from "../policies/patient.ts";
import { exactly, point } from "./points.fixture.ts";

let folder: string;
let base: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-ear-test-"));
  base = join(folder, "base.gguf");
  await writeFile(base, tinyGguf({ layers: 4 }));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Short messages of three chunks; enough is heard once the answer was said. */
function world(samples: number, seed: number) {
  const next = random(seed);
  return Array.from({ length: samples }, (_, sample) => {
    const at = Math.floor(next() * 3);
    let text = "";
    return Array.from({ length: 3 }, (_chunk, index) => {
      text += index === at ? " answer is 日" : ` ${pick(next, ["so", "step", "the", "and"])} b`;
      const known = index >= at;
      return point({
        sample: `${seed}-${sample}`,
        chunk: index + 1,
        tokens: 4 * (index + 1),
        text,
        messages: [{ role: "user", content: `So?\n\na:${text}` }],
        cut: exactly(known ? 1 : 0, 10 * (index + 1)),
        full: exactly(1, 40),
      });
    });
  }).flat();
}

test("An ear fitted on a tiny model tells on other samples, and its file says what was fitted", async () => {
  const out = join(folder, "ear.json");
  const seen: number[] = [];
  const labels = label(world(30, 1));
  const onProgress = ({ layer, done, all }: { layer: number; done: number; all: number }) => {
    if (done === all) seen.push(layer);
  };
  const dev = world(12, 2);
  const found = await fitEar(labels, {
    model: base,
    layers: [1, 2],
    out,
    dev,
    maxLoss: 0.1,
    onProgress,
    question: "?",
    head: join(folder, "head.json"),
    base: "tiny",
  });
  assert.deepEqual(
    found.layers.map(({ layer }) => layer),
    [1, 2],
  );
  assert.ok(seen.length === 3);
  assert.ok(Math.max(...found.layers.map(({ auc }) => auc)) > 0.8, JSON.stringify(found.layers));
  assert.ok(found.agreement.points > 5 && found.agreement.largest < 0.1, JSON.stringify(found.agreement));
  const { ear: file, gguf } = await readEar(out);
  assert.deepEqual(file, found.file);
  assert.equal(gguf, join(folder, "ear.gguf"));
  // Nothing but the ear stays.
  assert.deepEqual((await readdir(folder)).toSorted(), ["base.gguf", "ear.gguf", "ear.json", "head.json"]);

  const opened = await openEar(out, { threshold: 0 });
  try {
    let right = 0;
    const held = world(10, 3);
    for (const [index, { messages, cut }] of held.entries()) {
      const { logOdds } = await opened.look(hearing({ messages: () => messages, session: `${index}` }));
      if ((logOdds ?? 0) > 0 === (cut.success === 1)) right++;
    }
    assert.ok(right > 0.7 * held.length, `${right} of ${held.length}`);
    const { messages } = held.find(({ cut, chunk }) => cut.success === 1 && chunk === 3)!;
    const asked: Hearing = hearing({ messages: () => messages });
    const { logOdds } = await opened.look(asked);
    // Asked the same twice, the mean of two looks is the look.
    const decide = () => opened.policy.decide?.(asked, new AbortController().signal);
    if (file.over === 2) assert.equal((await decide())?.advantage, 0);
    const decision = await decide();
    assert.ok(Math.abs((decision?.advantage ?? Number.NaN) - (logOdds ?? 0)) < 1e-6);
    assert.ok(decision?.usage !== undefined && decision.usage.inputTokens > 0);
  } finally {
    await opened.close();
  }
});

test("Stopped while it reads, an ear goes on from the states it has read, and comes to the same", async () => {
  const states = join(folder, "states.txt");
  const options = { model: base, layers: [1], maxLoss: 0.2, question: "?", states };
  const labels = label(world(12, 5));
  const stop = new AbortController();
  const halted = fitEar(labels, {
    ...options,
    out: join(folder, "half.json"),
    signal: stop.signal,
    onProgress: ({ done }) => (done === 20 ? stop.abort(new Error("enough")) : undefined),
  });
  await assert.rejects(halted, /enough/);
  const kept = await readFile(states, "utf8");
  const lines = kept.trim().split("\n").length;
  // What was heard twice is read once.
  assert.ok(lines > 10 && lines <= 20, `${lines}`);
  // Killed in the middle of a line.
  await writeFile(states, kept.slice(0, -9));
  const whole = await fitEar(labels, { ...options, out: join(folder, "half.json") });
  const different = new Set(labels.filter(({ undecided }) => !undecided).map(({ point: { text } }) => text)).size;
  assert.equal((await readFile(states, "utf8")).trim().split("\n").length, different);
  const fresh = await fitEar(labels, { ...options, states: undefined, out: join(folder, "fresh.json") });
  assert.equal(whole.file.sha256, fresh.file.sha256);
  for (const name of ["states.txt", "half.json", "half.gguf", "fresh.json", "fresh.gguf"]) await rm(join(folder, name));
});

test("A base of the qwen2 kind is cut and given a head just as well", async () => {
  const qwen = join(folder, "qwen2.gguf");
  await toQwen2(base, qwen);
  assert.deepEqual(await shapeOf(qwen), { ...(await shapeOf(base)), architecture: "qwen2" });
  const out = join(folder, "qwen.json");
  const found = await fitEar(label(world(14, 4)), { model: qwen, layers: [2], out, maxLoss: 0.2, question: "?" });
  assert.ok(found.layers[0]!.auc > 0.7, JSON.stringify(found.layers));
  assert.ok(found.agreement.points > 5 && found.agreement.largest < 0.1, JSON.stringify(found.agreement));
  for (const name of ["qwen2.gguf", "qwen.json", "qwen.gguf"]) await rm(join(folder, name));
});

test("A head makes the same ear again on its own base, bit by bit, and on no other", async () => {
  const text = await readFile(join(folder, "head.json"), "utf8");
  assert.ok(text.length < 3000, `${text.length} bytes`);
  const head = checkHead(JSON.parse(text), "head.json");
  const out = join(folder, "grown", "again.json");
  await growEar(head, base, out);
  assert.deepEqual(await readFile(join(folder, "grown", "again.gguf")), await readFile(join(folder, "ear.gguf")));
  assert.deepEqual((await readEar(out)).ear, { ...head.ear, gguf: "again.gguf" });
  const other = join(folder, "other.gguf");
  await writeFile(other, tinyGguf({ layers: 4, seed: 9 }));
  await assert.rejects(
    growEar(head, other, join(folder, "grown", "wrong.json")),
    /is not the tiny that this ear was fitted on/,
  );
  assert.deepEqual((await readdir(join(folder, "grown"))).toSorted(), ["again.gguf", "again.json"]);

  const cacheDir = join(folder, "cache");
  const made = await cachedEar(head, { base, cacheDir });
  // What is there is used; what was damaged is made again.
  assert.equal(await cachedEar(head, { base: join(folder, "none.gguf"), cacheDir }), made);
  await writeFile(made, "{}");
  await assert.rejects(cachedEar(head, { base: join(folder, "none.gguf"), cacheDir }), /none.gguf/);
  await assert.rejects(cachedEar(head, { cacheDir }), /model tiny: there is no such file, nor a model of that name/);
  assert.equal(await cachedEar(head, { base, cacheDir }), made);
  assert.throws(() => checkHead({ ...head, row: 5 }, "x.json"), /x.json row: is no head of an ear/);
  assert.throws(() => checkHead({ ...head, ear: { ...head.ear, sha256: undefined } }, "x.json"), /sha256: is missing/);
  await rm(join(folder, "grown"), { recursive: true });
});

test("A served ear says what it says at home, to any client, and tells what is wrong with a request", async () => {
  const home = await openEar(join(folder, "ear.json"));
  try {
    const answer = earHandler({ ...home.file, over: 2, threshold: -50 }, home.look);
    const post = (body: string) => answer(new Request("http://ear/decide", { method: "POST", body }));
    const messages = [{ role: "user", content: "So?\n\na: answer is 日" }] as const;
    const { logOdds } = await home.look(hearing({ messages: () => messages, session: "home" }));
    const first = (await (await post(JSON.stringify({ messages }))).json()) as { logOdds: number; interrupt: boolean };
    assert.ok(Math.abs(first.logOdds - (logOdds ?? Number.NaN)) < 1e-3);
    assert.equal(first.interrupt, false);
    const second = await (await post(JSON.stringify({ messages, before: [first.logOdds] }))).json();
    assert.equal((second as { interrupt: boolean }).interrupt, true);
    for (const [body, status, reason] of [
      ["{", 400, /not JSON/],
      ['{"messages":[]}', 400, /messages/],
      [`{"messages":"${"x".repeat(2 ** 22)}"}`, 413, /larger than/],
    ] as const) {
      const response = await post(body);
      assert.equal(response.status, status);
      assert.match(JSON.stringify(await response.json()), reason);
    }
    assert.equal((await answer(new Request("http://ear/else"))).status, 404);
    assert.equal((await answer(new Request("http://ear/decide"))).status, 405);

    const fetch: typeof globalThis.fetch = (url, init) => answer(new Request(url, init));
    const { file, look } = await remoteEar("http://ear/", { fetch });
    assert.equal(file.threshold, -50);
    const far = await look(hearing({ messages: () => messages, session: "far" }));
    assert.ok(Math.abs((far.logOdds ?? Number.NaN) - (logOdds ?? 0)) < 1e-3);
    const gone = new AbortController();
    gone.abort();
    assert.equal((await look(hearing({ messages: () => messages }), gone.signal)).logOdds, undefined);
    await assert.rejects(
      remoteEar("http://ear/else", { fetch }),
      /the ear at http:\/\/ear\/else answered 404: there are GET/,
    );
  } finally {
    await home.close();
  }
});

test("An ear that is not whole, or not the one that was fitted, is refused by name", async () => {
  const json = JSON.parse(await readFile(join(folder, "ear.json"), "utf8")) as Record<string, unknown>;
  const write = async (change: Record<string, unknown>) => {
    const path = join(folder, "other.json");
    await writeFile(path, JSON.stringify({ ...json, ...change }));
    return path;
  };
  await assert.rejects(readEar(join(folder, "none.json")), /none.json: cannot be read as JSON/);
  await assert.rejects(readEar(await write({ schema: "duplex.ear/9" })), /other.json schema: is no ear/);
  await assert.rejects(readEar(await write({ bias: "much" })), /other.json bias: is no ear/);
  await assert.rejects(readEar(await write({ bytes: 5 })), /ear.gguf: is not the model that/);
  await assert.rejects(readEar(await write({ gguf: "base.gguf" })), /base.gguf: is not the model that/);
  await assert.rejects(readEar(await write({ gguf: "../ear.gguf" })), /other.json gguf/);
  await assert.rejects(ear(join(folder, "ear.gguf")), /give the .json beside it/);
  const silent = await ear(await write({ threshold: null }));
  assert.equal(silent.decide, undefined);
  await silent.close();
});

test("Labels and settings that cannot be are named before anything is read", async () => {
  const labels = label(world(3, 1));
  const options = { model: base, out: join(folder, "never.json") };
  await assert.rejects(fitEar(labels, { ...options, out: "never.gguf" }), /out: must end in .json/);
  await assert.rejects(fitEar(labels, { ...options, layers: [5] }), /layers: must be from 1 to 4/);
  await assert.rejects(fitEar(labels, { ...options, out: join(folder, "no", "x.json") }), /no: cannot be written to/);
  await assert.rejects(fitEar(labels, { ...options, dev: world(1, 1) }), /is in both/);
  await assert.rejects(fitEar(labels, { ...options, model: join(folder, "no.gguf") }), /there is no such file/);
});

test("Log-odds come from probabilities, within what can be told", () => {
  assert.ok(Math.abs(oddsOf([0.8, 0.2]) - Math.log(4)) < 1e-12);
  assert.deepEqual([oddsOf([0, 1]), oddsOf([1, 0])], [-20, 60]);
});

test("A patient policy asks again only after the tokens that its last look was worth", async () => {
  let asked = 0;
  const eager = {
    name: "eager",
    decide: () => {
      asked++;
      return { advantage: asked === 1 ? -6 : 3 };
    },
  };
  const { decide } = patient(eager, {
    threshold: 1,
    next: [
      { below: -2, tokens: 48 },
      { below: 1, tokens: 16 },
    ],
  });
  const at = async (tokens: number) => (await decide?.(hearing({ tokens }), new AbortController().signal))?.advantage;
  assert.deepEqual([await at(16), await at(32), await at(48), await at(64)], [-6, 0, 0, 3]);
  assert.equal(asked, 2);
});

const file = {
  schema: earSchema,
  gguf: "x.gguf",
  bytes: 1,
  base: "x",
  layers: 1,
  of: 2,
  question: "Enough? Yes or No.",
  words: ["Yes", "No"],
  bias: 0.1,
  threshold: 0,
  over: 1,
  next: [],
  provenance: {},
} satisfies EarFile;

policySuite("ear", { make: ({ model }) => earOn(file, model) });
policySuite("ear, the mean of two looks", { make: ({ model }) => earOn({ ...file, over: 2 }, model) });
policySuite("patient ear", { make: ({ model }) => earOn({ ...file, next: [{ below: 0, tokens: 20 }] }, model) });
