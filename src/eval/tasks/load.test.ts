import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { ConfigError } from "../../base/errors.ts";
import { splits } from "../split.ts";
import { heardEnough } from "./enough.ts";
import { parseTaskFile } from "./file.ts";
import { loadTask, loadTaskFile, taskNames } from "./load.ts";

const item = (change: object = {}) => ({
  id: "one",
  split: "dev",
  prompt: "One knows where the key is.",
  roles: [
    { id: "owner", instructions: "Tell where the key is.", says: "The door is red. The key is under the mat." },
    { id: "guest", instructions: "Find the key.", listens: true },
  ],
  answer: { by: "guest", right: ["under the mat", "mat"] },
  ...change,
});

const lines = (...items: readonly object[]) => items.map((one) => JSON.stringify(one)).join("\n");
const draw = { split: "dev", size: 10, seed: 1 } as const;

test("a user's samples are used as they are, with the usual defaults", () => {
  const task = parseTaskFile(`\n${lines(item(), item({ id: "two", split: "test" }))}\n`, "mine.jsonl");
  const samples = task.samples(draw);
  assert.equal(samples.length, 1);
  const [sample] = samples;
  assert.ok(sample);
  assert.deepEqual([sample.id, sample.task, sample.rounds, sample.answer.marker], ["one", "mine.jsonl", 1, "Answer:"]);
  assert.deepEqual([sample.answer.tries, sample.roles.map(({ listens }) => listens)], [1, [false, true]]);
  const judge = (text: string) => task.judge([{ agent: "guest", text }], sample).success;
  assert.deepEqual([judge("Answer: the mat"), judge("Answer: a matter"), judge("Answer: under the bench")], [1, 0, 0]);
  assert.equal(heardEnough([], sample), undefined);
});

test("samples without a split fall into one by their id, each into exactly one", () => {
  const items = Array.from({ length: 60 }, (_, index) => {
    const { split: _split, ...rest } = item({ id: `s${index}` });
    return rest;
  });
  const task = parseTaskFile(lines(...items), "mine.jsonl");
  const drawn = splits.flatMap((split) => task.samples({ split, size: 100, seed: 1 }).map(({ id }) => id));
  assert.deepEqual(drawn.toSorted(), items.map(({ id }) => id).toSorted());
});

test("what suffices to hear can be said", () => {
  const enough = [[{ by: "owner", said: "The key is under the mat", values: ["mat"] }]];
  const [sample] = parseTaskFile(lines(item({ enough })), "mine.jsonl").samples(draw);
  assert.ok(sample);
  const hear = (text: string) => heardEnough([{ agent: "owner", text }], sample);
  assert.deepEqual([hear("The door is red. The"), hear("The door is red. The key is under the mat")], [false, true]);
  assert.deepEqual([hear("Look below the mat."), hear("Wait.")], [true, false]);
});

const { prompt: _prompt, ...withoutPrompt } = item({ id: "two" });
const role = item().roles[0];

const wrong: readonly (readonly [second: object, message: RegExp])[] = [
  [withoutPrompt, /prompt: is missing$/],
  [item({ id: "" }), /id: must not be empty$/],
  [item({ id: "one" }), /id: "one" is already used at mine\.jsonl:1$/],
  [item({ id: "two", split: "valid" }), /split: Invalid option/],
  [item({ id: "two", roles: [role] }), /roles: must name at least two roles$/],
  [item({ id: "two", roles: [role, role] }), /roles\[1\]\.id: "owner" is already used$/],
  [item({ id: "two", roles: [role, { id: "guest" }] }), /roles\[1\]\.instructions: is missing$/],
  [
    item({ id: "two", answer: { by: "host", right: ["x"] } }),
    /answer\.by: "host" is none of the roles \(owner, guest\)$/,
  ],
  [item({ id: "two", answer: { by: "guest" } }), /answer\.right: is missing$/],
  [item({ id: "two", answer: { by: "guest", right: [] } }), /answer\.right: must give at least one right answer$/],
  [
    item({ id: "two", answer: { by: "guest", right: ["x"], candidates: ["y", "z"] } }),
    /answer\.candidates: exactly one must be right; 0 are$/,
  ],
  [
    item({ id: "two", answer: { by: "guest", right: ["x"], candidates: ["an X", "x"] } }),
    /answer\.candidates: exactly one must be right; 2 are$/,
  ],
  [item({ id: "two", rounds: 0 }), /rounds: /],
  [item({ id: "two", promt: "x" }), /Unrecognized key: "promt"$/],
  [item({ id: "two", enough: [[{ by: "nobody", said: "x" }]] }), /enough: "nobody" is none of the roles$/],
  [[], /expected object/],
];

test("what is wrong in a task file is told with its line and field", () => {
  for (const [second, message] of wrong) {
    assert.throws(
      () => parseTaskFile(lines(item(), second), "mine.jsonl"),
      (error: ConfigError) => {
        assert.equal(error.path, "mine.jsonl:2");
        assert.match(error.message, message);
        return !error.message.includes("\n");
      },
    );
  }
  assert.throws(() => parseTaskFile('{"id": ', "mine.jsonl"), /^ConfigError: mine\.jsonl:1: is not valid JSON/);
  assert.throws(() => parseTaskFile("\n", "mine.jsonl"), /^ConfigError: mine\.jsonl: has no samples$/);
});

test("an empty split is told", () => {
  const task = parseTaskFile(lines(item()), "mine.jsonl");
  assert.throws(
    () => task.samples({ ...draw, split: "train" }),
    new ConfigError("mine.jsonl", 'the split "train" is empty: none of the 1 samples belongs to it'),
  );
});

test("each built-in task is found by its name, with options", async () => {
  for (const name of taskNames) assert.ok((await loadTask(name)).samples({ ...draw, size: 1 }).length === 1, name);
  assert.equal((await loadTask("report:facts=15,needs=2,kinds=seen")).name, "report:facts=15,needs=2,kinds=seen");
  assert.equal((await loadTask("pictionary:choices=8")).name, "pictionary:choices=8");
  assert.equal((await loadTask("meeting:level=hard,unsolvable=0")).name, "meeting:level=hard,unsolvable=0");
});

test("a task's name with its options names the same task", async () => {
  for (const spec of [
    "report:facts=9,choices=4",
    "meeting:level=medium,rounds=2",
    "clues:choices=6",
    "debate:rounds=3",
  ]) {
    const task = await loadTask(spec);
    assert.equal(task.name, spec);
    assert.deepEqual((await loadTask(task.name)).samples({ ...draw, size: 3 }), task.samples({ ...draw, size: 3 }));
  }
});

test("files of questions and of samples are read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duplex-tasks-"));
  try {
    const [questions, samples] = [join(folder, "q.jsonl"), join(folder, "mine.jsonl")];
    const rows = Array.from({ length: 40 }, (_, index) => ({
      question_id: index,
      question: `Which is number ${index}?`,
      options: ["this", "that"],
      answer: "A",
      category: "other",
    }));
    await writeFile(questions, lines(...rows));
    await writeFile(samples, lines(item()));
    const debate = await loadTask(`debate:file=${questions},rounds=1`);
    assert.equal(debate.name, `debate:file=${questions},rounds=1`);
    assert.ok(
      debate.samples(draw).every(({ data, rounds }) => JSON.stringify(data).includes("Which is") && rounds === 1),
    );
    assert.equal((await loadTask(samples)).samples(draw).length, 1);
    assert.equal((await loadTaskFile(samples)).name, samples);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("what does not name a task is refused, with what there is", async () => {
  const refused = async (spec: string, message: RegExp) => assert.rejects(loadTask(spec), message);
  await refused(
    "charades",
    /task: "charades" is none of pictionary, meeting, debate, report, clues, and no \.jsonl file/,
  );
  await refused("", /task: "" is none of/);
  await refused(
    "report:fact=7",
    /report: has no option "fact=7"; its options are facts, needs, choices, kinds, as in report:facts=…/,
  );
  await refused("report:facts=many", /report\.facts: must be a number; was "many"/);
  await refused("report:facts=", /report\.facts: must be a number; was ""/);
  await refused("report:facts=7.5", /report\.facts: must be a whole number/);
  await refused("debate:file=q.parquet", /q\.parquet: (?:cannot be read|must end in)/);
  await refused("none.jsonl", /none\.jsonl: cannot be read/);
});
