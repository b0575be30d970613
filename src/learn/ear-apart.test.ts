import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pick, random } from "../base/random.ts";
import { hearing } from "../policies/hearing.fixture.ts";
import { tinyGguf } from "../testing/gguf.ts";
import { fitEar } from "./ear.ts";
import type { FittedEar } from "./ear.ts";
import { openEar } from "./ear-policy.ts";
import { earMessages, heardOf } from "./ear-prompt.ts";
import { earHandler, remoteEar } from "./ear-server.ts";
import { label } from "./label.ts";
import { exactly, point } from "./points.fixture.ts";

let folder: string;
let out: string;
let fitted: FittedEar;

/** Messages of two chunks; what the listener's own messages say tells nothing. */
function world(samples: number, seed: number) {
  const next = random(seed);
  return Array.from({ length: samples }, (_, sample) => {
    const at = Math.floor(next() * 2);
    let text = "";
    return Array.from({ length: 2 }, (_chunk, index) => {
      text += index === at ? " answer is 日" : ` ${pick(next, ["so", "step", "the", "and"])} b`;
      return point({
        sample: `${seed}-${sample}`,
        chunk: index + 1,
        tokens: 4 * (index + 1),
        text,
        about: "What is it?",
        messages: [{ role: "user", content: "so" }],
        cut: exactly(index >= at ? 1 : 0, 10 * (index + 1)),
        full: exactly(1, 40),
      });
    });
  }).flat();
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-ear-apart-test-"));
  await writeFile(join(folder, "base.gguf"), tinyGguf({ layers: 3 }));
  out = join(folder, "ear.json");
  fitted = await fitEar(label(world(30, 1)), { model: join(folder, "base.gguf"), layers: [2], out, maxLoss: 0.3 });
});
after(() => rm(folder, { recursive: true, force: true }));

test("Where points tell the question, an ear is asked about it and what was heard alone, as the fit was", async () => {
  assert.equal(fitted.file.ask, "apart");
  assert.match(fitted.file.question, /^Reply with the answer only.*"unknown"\.$/);
  assert.ok(fitted.layers[0]!.auc > 0.8, JSON.stringify(fitted.layers));
  assert.ok(fitted.agreement.points > 5 && fitted.agreement.largest < 0.3, JSON.stringify(fitted.agreement));
  const opened = await openEar(out);
  try {
    const text = " so b answer is 日";
    const look = async (heard: Parameters<typeof hearing>[0]) => (await opened.look(hearing(heard))).logOdds;
    const one = await look({ text, about: "What is it?", session: "one" });
    const messages = () => [{ role: "user", content: "x" } as const];
    assert.equal(await look({ text, about: "What is it?", session: "two", messages }), one);
    // Without a question of its own the listener wants what the run is for.
    assert.equal(await look({ text, task: "What is it?", session: "three" }), one);
    assert.notEqual(await look({ text, about: "Why?", session: "four" }), one);
  } finally {
    await opened.close();
  }
});

test("Served, it wants the text and the question, and a client sends them", async () => {
  const home = await openEar(out);
  try {
    const answer = earHandler(home.file, home.look);
    const post = (body: unknown) =>
      answer(new Request("http://ear/decide", { method: "POST", body: JSON.stringify(body) }));
    const refused = await post({ messages: [{ role: "user", content: "so" }] });
    assert.equal(refused.status, 400);
    assert.match(JSON.stringify(await refused.json()), /text: is missing; this ear wants text and about/);
    const heard = hearing({ text: " the b answer is 日", about: "What is it?" });
    const { logOdds } = await home.look(heard);
    const { look } = await remoteEar("http://ear", { fetch: (url, init) => answer(new Request(url, init)) });
    assert.ok(Math.abs(((await look(heard)).logOdds ?? Number.NaN) - (logOdds ?? 0)) < 1e-3);
  } finally {
    await home.close();
  }
});

test("Without a question nobody can be asked apart; within, the question comes behind the listener's messages", async () => {
  const { about: _, ...bare } = world(1, 1)[0]!;
  assert.throws(() => earMessages(bare, { ask: "apart", question: "?" }), /about: is missing/);
  assert.deepEqual(earMessages(bare, { question: "?" }), [{ role: "user", content: "so\n\n?" }]);
  assert.deepEqual(
    earMessages(heardOf(hearing({ text: "It is 5. ", about: "What?" })), { ask: "apart", question: "!" }),
    [{ role: "user", content: "Report: It is 5.\n\nQuestion: What?\n!" }],
  );
  const points = world(20, 2).map(({ about: _about, ...each }) => each);
  const how = { model: join(folder, "base.gguf"), layers: [2], out: join(folder, "no.json"), ask: "apart" } as const;
  await assert.rejects(fitEar(label(points), how), /about: is missing: this ear is told the question/);
});
