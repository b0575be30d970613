import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { serveCommand } from "./serve.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-serve-"));
});
after(() => rm(folder, { recursive: true }));

/** Ends at once where it should have been refused. */
async function serve(...args: readonly string[]): Promise<void> {
  const nowhere = { write: () => {} };
  const io = { stdout: nowhere, stderr: nowhere, env: {}, signal: AbortSignal.abort() };
  await serveCommand(io).parseAsync(args, { from: "user" });
}

test("what is wrong with a setting is said by its flag where that gave it, and by its field in the config where that did", async (context) => {
  const taken = createServer();
  await new Promise<void>((listening) => taken.listen(0, "127.0.0.1", listening));
  context.after(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const letter = join(folder, "letter.db");
  await writeFile(letter, "Dear Sir or Madam, ".repeat(100));
  const teams = { solo: { model: "simulated", agents: 1 } };
  const config = async (more: object) => {
    const file = join(folder, "teams.json");
    await writeFile(file, JSON.stringify({ teams, ...more }));
    return file;
  };
  const refused = (args: readonly string[], message: RegExp) =>
    assert.rejects(serve(...args), { name: "ConfigError", message });

  const kept = await config({ store: { file: letter }, port: 0 });
  await refused([kept], /teams\.json: store\.file: \S+letter\.db: is not a SQLite database; name another file$/);
  const there = join(folder, "there.db");
  await writeFile(there, "Dear all, ".repeat(100));
  await refused([kept, "--store", there], /^--store: \S+there\.db: is not a SQLite database; name another file$/);

  const busy = await config({ port });
  await refused([busy], /teams\.json: port: \d+ is in use/);
  const open = await config({ host: "0.0.0.0", port: 0 });
  await refused([open], /teams\.json: host: 0\.0\.0\.0 can be reached by others; .* \(--keys FILE/);
  await refused([open, "--host", "127.0.0.1", "--port", String(port)], /^--port: \d+ is in use/);
  const quiet = await config({ host: "127.0.0.1" });
  await refused([quiet, "--host", "0.0.0.0", "--port", "0"], /^--host: 0\.0\.0\.0 can be reached by others/);
});
