import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const folder = fileURLToPath(new URL("../examples", import.meta.url));
const examples = readdirSync(folder).filter((name) => name.endsWith(".mjs"));

test("there are examples", () => {
  assert.notEqual(examples.length, 0);
});

for (const name of examples)
  test(`examples/${name} runs to its end and says what it did`, { timeout: 60_000 }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, name)], { timeout: 50_000 });
    assert.notEqual(stdout.trim(), "");
  });
