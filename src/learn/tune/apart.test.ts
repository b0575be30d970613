// Listeners that are told the question and what was heard, and nothing else.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Hearing } from "../../core/policy.ts";
import { hearing } from "../../policies/hearing.fixture.ts";
import { earQuestion } from "../ear-prompt.ts";
import { label } from "../label.ts";
import { point } from "../points.fixture.ts";
import { askingOf, examplesOf, openaiLine, pointsOf, promptOf, trlLine } from "./examples.ts";
import { openTuned } from "./policy.ts";
import { tuneByApi } from "./tune-api.ts";
import { tune } from "./tune.ts";
import { bench as makeBench, labelsOf } from "./tune.fixture.ts";
import { quickClock, tuningServer } from "./tuning-server.fixture.ts";

const told = { about: "When is it?" };
const said =
  "Report: The board meets at\n\nQuestion: When is it?\nHas the report answered the question? Reply Yes or No.";

test("Asked apart, a label becomes what was heard, the question it is for, and the word", () => {
  const [example] = examplesOf(label([point(told)]), askingOf([point(told)], {}, ""));
  assert.deepEqual(JSON.parse(openaiLine(example!)), {
    messages: [
      { role: "user", content: said },
      { role: "assistant", content: "Yes" },
    ],
  });
  assert.deepEqual(JSON.parse(trlLine(example!)), {
    prompt: [{ role: "user", content: said }],
    completion: [{ role: "assistant", content: "Yes" }],
    label: 1,
    group: "report a",
  });
});

test("Listeners are asked apart where all points tell the question, in their own words", () => {
  const [all, some] = [[point(told)], [point(told), point({ sample: "b" })]];
  assert.deepEqual(askingOf(all, {}, "<"), {
    ask: "apart",
    question: "Has the report answered the question? Reply Yes or No.",
    words: ["Yes", "No"],
    lead: "<",
  });
  assert.deepEqual(askingOf(some, {}, ""), { ask: "within", question: earQuestion, words: ["Yes", "No"], lead: "" });
  const words = ["Ja", "Nein"] as const;
  assert.equal(askingOf(all, { words }, "").question, "Has the report answered the question? Reply Ja or Nein.");
  const within = askingOf(all, { words, ask: "within" }, "");
  assert.deepEqual([within.ask, within.question], ["within", "(Has the question been answered already? Ja or Nein.)"]);
  assert.equal(askingOf(all, { question: "Enough?" }, "").question, "Enough?");
  assert.throws(
    () => askingOf(some, { ask: "apart" }, ""),
    /^ConfigError: --ask: apart needs points that tell the question \(about\), and sample "b" of report does not; sample it again, or ask within$/,
  );
});

test("Messages of which nothing is decided are not asked about, and do not say how others are", () => {
  const undecided = (given: Parameters<typeof point>[0]) => ({ ...label([point(given)])[0]!, undecided: true });
  const decided = label([point(told)]);
  const [silent, next] = [undecided({ sample: "b" }), undecided({ ...told, chunk: 2 })];
  const sent = pointsOf([...decided, next, silent]);
  assert.deepEqual(sent, [decided[0]?.point, next.point]);
  assert.equal(askingOf(sent, {}, "").ask, "apart");
  // The rule is chosen on whole messages, undecided ones too.
  const chosen = pointsOf(decided, [silent]);
  assert.deepEqual(chosen, [decided[0]?.point, silent.point]);
  assert.throws(() => askingOf(chosen, { ask: "apart" }, ""), /sample "b" of report does not/);
});

test("Prompts of a message begin with all that was heard before, so that they are read as one sequence", () => {
  const asking = askingOf([point(told)], {}, "<think>\n\n</think>\n\n");
  const heard = ["It", "It is at", "It is at noon."].map((text) => promptOf({ ...told, text, messages: [] }, asking));
  for (const [index, text] of ["It", "It is at", "It is at noon."].entries())
    for (const prompt of heard.slice(index)) assert.ok(prompt[0]?.content.startsWith(`Report: ${text}`));
  assert.deepEqual(heard[0]?.[1], { role: "assistant", content: "<think>\n\n</think>\n\n" });
});

const about = "Who?";
const labels = labelsOf(10, { about });
const asked = (text: string) => [{ role: "user", content: `Report: ${text}\n\nQuestion: Who?\nYes?` }];

test("An adapter is trained, checked and asked at work in the same words, and its folder and file say how", async (t) => {
  const { options, folder, close } = await makeBench();
  t.after(close);
  const { file, path, agreement } = await tune(labels, options());
  assert.deepEqual([file.ask, file.question], ["apart", "Yes?"]);
  assert.ok(agreement.largest < 1e-3 && agreement.points === 4, JSON.stringify(agreement));
  const trained = (await readFile(join(folder, "out", "train.jsonl"), "utf8")).trim().split("\n");
  const prompts = new Set(trained.map((line) => JSON.stringify((JSON.parse(line) as { prompt: unknown }).prompt)));
  assert.deepEqual(
    [...prompts],
    [" the", " the answer Yes"].map(asked).map((each) => JSON.stringify(each)),
  );

  const opened = await openTuned(path);
  t.after(opened.close);
  const look = async (given: Partial<Hearing>) =>
    (await opened.look(hearing({ text: " the answer", ...given }))).logOdds;
  const one = await look({ about, session: "one" });
  const messages = () => [{ role: "user", content: "something else" } as const];
  assert.equal(await look({ about, session: "two", messages }), one);
  // Without a question of its own the listener wants what the run is for.
  assert.equal(await look({ task: about, session: "three" }), one);
  assert.notEqual(await look({ about: "Why?", session: "four" }), one);

  const refused = (given: typeof labels, over: Parameters<typeof options>[1], message: RegExp) =>
    assert.rejects(tune(given, options("", over)), message);
  await refused(
    labels,
    { ask: "within" },
    /other settings \(ask "apart", now "within"; about "\w+", now null\); use them again/,
  );
  await refused(labelsOf(10, { about: "Why?" }), {}, /other settings \(about "\w+", now "\w+"\); use them again/);
  await refused(
    labelsOf(10),
    { ask: "apart" },
    /--ask: apart needs points that tell .* sample "s0" of report does not/,
  );
  const dev = labelsOf(4, { prefix: "d", split: "dev" });
  await refused(labels, { ask: "apart", dev }, /--ask: .* sample "d0" of report does not/);
});

test("Folders and files of before are of listeners asked within, and go on as such", async (t) => {
  const { options, folder, close } = await makeBench();
  t.after(close);
  const { path } = await tune(labels, options("", { ask: "within" }));
  const strip = async (name: string, more: object = {}) => {
    const { ask, over, ...rest } = JSON.parse(await readFile(name, "utf8")) as Record<string, unknown>;
    assert.equal(ask, "within");
    assert.equal(typeof over, name === path ? "number" : "undefined");
    await writeFile(name, JSON.stringify({ ...rest, ...more }));
  };
  await strip(path, { inRow: 1 });
  const [opened, task] = [await openTuned(path), "Who?"];
  t.after(opened.close);
  assert.equal(opened.file.over, 1);
  const look = async (content: string, session: string) =>
    (await opened.look(hearing({ task, session, text: " the", messages: () => [{ role: "user", content }] }))).logOdds;
  assert.notEqual(await look("so the", "one"), await look("so so the", "two"));
  await strip(join(folder, "out", "tune.json"));
  await tune(labels, options("", { ask: "within" }));
  // What is asked where nothing is given has changed since; it is named.
  await assert.rejects(tune(labels, options()), /other settings \(about null, now "\w+"; ask "within", now "apart"\)/);
});

test("Behind an API listeners are trained, checked and asked in these words too", async (t) => {
  const server = await tuningServer();
  const out = await mkdtemp(join(tmpdir(), "duplex-tune-apart-"));
  t.after(async () => {
    await server.close();
    await rm(out, { recursive: true });
  });
  const options = { model: "small", baseURL: server.baseURL, apiKey: "k", out, clock: quickClock(), question: "Yes?" };
  await assert.rejects(tuneByApi(labelsOf(10), { ...options, ask: "apart" }), /--ask: apart needs points/);
  assert.equal(server.files.size, 0);
  const { file, verdict } = await tuneByApi(labels, options);
  assert.deepEqual([file.ask, file.question, verdict?.auc], ["apart", "Yes?", 1]);
  const lines = (await readFile(join(out, "train.jsonl"), "utf8")).trim().split("\n");
  const examples = new Set(lines.map((line) => JSON.stringify((JSON.parse(line) as { messages: unknown }).messages)));
  const answered = (text: string, content: string) => [...asked(text), { role: "assistant", content }];
  assert.deepEqual(
    [...examples],
    [answered(" the", "No"), answered(" the answer Yes", "Yes")].map((each) => JSON.stringify(each)),
  );
  await assert.rejects(tuneByApi(labels, { ...options, ask: "within" }), /ask "apart", now "within"/);
});
