import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { trainerScript } from "./trainer.ts";

const python = (code: string, folder: string) =>
  spawnSync(
    "python3",
    ["-c", `import sys; sys.path.insert(0, ${JSON.stringify(folder)}); sys.dont_write_bytecode = True\n${code}`],
    { encoding: "utf8" },
  );

const there = spawnSync("python3", ["--version"]).status === 0;

test(
  "Without PyTorch the trainer says in a line of its protocol what it lacks",
  { skip: !there && "no python3" },
  async () => {
    const script = await trainerScript();
    // A folder in which importing peft fails, whatever is installed.
    const folder = await mkdtemp(join(tmpdir(), "duplex-bare-"));
    try {
      await writeFile(join(folder, "peft.py"), "raise ImportError('no peft here')");
      await writeFile(join(folder, "spec.json"), "{}");
      const env = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" };
      const { stdout, stderr, status } = spawnSync("python3", [script, join(folder, "spec.json")], {
        env,
        encoding: "utf8",
        input: "",
      });
      assert.deepEqual(JSON.parse(stdout), { event: "failed", message: "ImportError: no peft here" });
      assert.match(stderr, /Traceback/);
      assert.equal(status, 1);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test(
  "A checkpoint that was not written to its end is passed over; areas count ties half",
  { skip: !there && "no python3" },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "duplex-checkpoints-"));
    try {
      for (const [step, state] of [
        [5, "{}"],
        [20, '{"torn'],
        [12, "{}"],
        [100, undefined],
      ] as const) {
        await mkdir(join(folder, `checkpoint-${step}`));
        if (state !== undefined) await writeFile(join(folder, `checkpoint-${step}`, "trainer_state.json"), state);
      }
      const code = `
import tune
assert tune.last_checkpoint(${JSON.stringify(folder)}).endswith("checkpoint-12")
assert tune.last_checkpoint(${JSON.stringify(join(folder, "none"))}) is None
assert tune.area([2, 3], [1, 2]) == 0.875 and tune.area([], [1]) is None
rows = tune.by_group([{"group": "a"}, {"group": "b"}, {"group": "a"}])
assert [[row["index"] for row in group] for group in rows] == [[0, 2], [1]]
print("good")`;
      const { stdout, stderr } = python(code, dirname(await trainerScript()));
      assert.equal(stdout.trim(), "good", stderr);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
