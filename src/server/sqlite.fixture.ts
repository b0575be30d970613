// Runs in a file for tests, and other processes that use one.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { none } from "../core/usage.ts";
import type { RunStore } from "./run-store.ts";

/** The path of a file that is not there yet, in a folder that goes with the test. */
export async function freshFile(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "duplex-store-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "runs.db");
}

/** Puts a run with so many events into a store. */
export function put(store: RunStore, id: string, { events = 3, started = new Date(), line = "x" } = {}): void {
  const recorder = store.begin({ id, team: "team", task: "go", started: started.toISOString() });
  for (let at = 0; at < events; at++) recorder.add(JSON.stringify({ at, line }), at);
  recorder.end({ state: "done", usage: none });
}

/** All lines of a kept run. */
export async function linesOf(store: RunStore, id: string): Promise<string[]> {
  const found = await store.find(id);
  const lines: string[] = [];
  for (;;) {
    const more = (await found?.lines(lines.length)) ?? [];
    if (more.length === 0) return lines;
    lines.push(...more);
  }
}

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs a program in a process of its own; it finds `sqliteStore`, `put`, `linesOf` and `file`. `on` may act on what it prints. */
export function elsewhere(
  file: string,
  program: string,
  {
    shell = "",
    args = [],
    on,
  }: { shell?: string; args?: string[]; on?: (text: string, kill: () => void) => void } = {},
): Promise<Ended> {
  const modules = ["sqlite-store.js", "sqlite.fixture.js"].map((name) => new URL(name, import.meta.url).href);
  const source = `import { sqliteStore } from "${modules[0]}"; import { linesOf, put } from "${modules[1]}";
    const file = ${JSON.stringify(file)}; ${program}`;
  const node = [process.execPath, ...args, "--input-type=module", "-e", source];
  const child =
    shell === "" ? spawn(node[0]!, node.slice(1)) : spawn("bash", ["-c", `${shell}; exec "$@"`, "-", ...node]);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    on?.(text, () => child.kill("SIGKILL"));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}
