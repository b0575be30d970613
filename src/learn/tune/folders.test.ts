// Folders that cannot be had are refused at once, and what others have put into one is left alone.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { growEar } from "../head.ts";
import type { Head } from "../head.ts";
import { setUp } from "./python.ts";
import { claim } from "./settle.ts";

const nowhere = "/proc/nothing/below";

test(
  "A folder that takes no other is refused, and does not hang",
  { skip: !existsSync("/proc/self") && "no /proc", timeout: 120_000 },
  async () => {
    await assert.rejects(claim(nowhere, { seed: 1 }), { message: `${nowhere}: cannot be made (ENOENT)` });
    await assert.rejects(setUp("python3", { folder: nowhere }), /--setup: \/proc\/nothing\/below cannot be made: /);
    // The folder comes first: nothing else of a head is looked at.
    const head = { tokens: [], row: "", ear: { layers: 1 } } as unknown as Head;
    const out = join(nowhere, "ear.json");
    await assert.rejects(growEar(head, "base.gguf", out), /\/proc\/nothing\/below\/ear\.json: cannot be written: /);
  },
);

test("A tuning is not begun beside what others have put there: labels may lie in it under a name of ours", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "duplex-claim-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "train.jsonl"), "mine\n");
  await assert.rejects(
    claim(folder, { seed: 1 }),
    /: holds "train\.jsonl", which is not of this tuning; name a new or/,
  );
  assert.equal(await readFile(join(folder, "train.jsonl"), "utf8"), "mine\n");
  await rm(join(folder, "train.jsonl"));
  // Ended while it was written for the first time.
  await writeFile(join(folder, "tune.json.new"), '{"se');
  await claim(folder, { seed: 1 });
  assert.deepEqual(await readdir(folder), ["tune.json"]);
  await writeFile(join(folder, "train.jsonl"), "ours\n");
  await claim(folder, { seed: 1 });
  await assert.rejects(claim(folder, { seed: 2 }), /\(seed 1, now 2\)/);
});
