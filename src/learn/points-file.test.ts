import assert from "node:assert/strict";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { compare } from "../eval/index.ts";
import type { Result } from "../eval/index.ts";
import { advise } from "./advice.ts";
import { formatPoint } from "./points.ts";
import { openPoints, readPoints } from "./points-file.ts";
import { messages, point } from "./points.fixture.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-points-"));
});
after(() => rm(folder, { recursive: true, force: true }));

test("Points are kept as they come, and a torn last line is dropped when it goes on", async () => {
  const path = join(folder, "points.jsonl");
  const points = messages(2);
  const first = await openPoints(path, { seed: 1 });
  await Promise.all(points.slice(0, 5).map((each) => first.add(each)));
  await first.close();
  await appendFile(path, formatPoint(points[5]!).slice(0, 40));
  const second = await openPoints(path, { seed: 1 });
  assert.deepEqual(second.done, points.slice(0, 5));
  assert.equal(second.keys.size, 5);
  for (const each of points.slice(5)) await second.add(each);
  await second.close();
  assert.deepEqual(await readPoints(path), points);
});

test("A file of other settings, of other lines or at no place is refused by name", async () => {
  const path = join(folder, "other.jsonl");
  await writeFile(path, `${formatPoint(point())}\n`);
  await assert.rejects(openPoints(path, { seed: 2 }), /other.jsonl: was made with seed 1, now 2/);
  await assert.rejects(openPoints(path, { seed: 1, chunk: 8 }), /was made with chunk null, now 8/);
  await writeFile(path, "{}\n");
  await assert.rejects(openPoints(path, { seed: 1 }), /other.jsonl:1 .*is no decision point/);
  assert.equal(await readFile(path, "utf8"), "{}\n");
  await assert.rejects(readPoints(join(folder, "none.jsonl")), /none.jsonl: cannot be read/);
  await assert.rejects(openPoints(join(folder, "no", "where.jsonl"), {}), /cannot be written/);
});

const usage = { calls: 1, inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
const result = (policy: string, index: number, { total, success }: { total: number; success: 0 | 1 }): Result => ({
  sample: `${index}`,
  of: "x",
  repeat: 0,
  policy,
  success,
  detail: "",
  spent: usage,
  usage,
  decisionUsage: usage,
  cost: { spoken: total, overrun: 0, decisions: 0, replies: 0, total },
  floorBack: 0,
  decided: { wait: 0, interrupt: 0, late: 0, timeout: 0, failed: 0, odd: 0 },
  decisionMs: 0,
  notes: [],
  cuts: [],
  messages: 2,
  rounds: 1,
  wallMs: 1,
});

test("The cheapest policy that surely saves within the bound is advised, and never where there is none", () => {
  const all = (policy: string, total: number, wrong = 0) =>
    Array.from({ length: 30 }, (_, index) =>
      result(policy, index, { total: total + (index % 3), success: index < wrong ? 0 : 1 }),
    );
  const reports = compare(
    [...all("never", 100), ...all("rash", 30, 9), ...all("good", 60), ...all("fair", 80), ...all("oracle", 50)],
    { task: "t" },
  );
  const advice = advise(reports);
  assert.equal(advice.policy, "good");
  assert.match(
    advice.why,
    /saves 40 % of the tokens, 80 % of what the best cut in hindsight saves, at the same success/,
  );
  assert.equal(advise(reports, { maxLoss: 0.5 }).policy, "rash");
  const hopeless = compare([...all("never", 100), ...all("rash", 30, 9), ...all("dear", 120)], { task: "t" });
  assert.deepEqual(advise(hopeless).policy, "never");
  assert.throws(() => advise([]), /"never" must be among them/);
});
