// Starts the built program as a process of its own. DUPLEX_BIN names another build.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

export const bin = resolve(process.env.DUPLEX_BIN ?? fileURLToPath(new URL("../dist/cli/main.js", import.meta.url)));
export const fast = "simulated:ttft=5,decode=4000";
const { DUPLEX_API_KEY: _a, OPENAI_API_KEY: _b, DUPLEX_MODEL: _c, DUPLEX_DEBUG: _d, ...clean } = process.env;

/** Where the program runs. */
export const folder = await mkdtemp(join(tmpdir(), "duplex-cli-"));
after(() => rm(folder, { recursive: true, force: true }));

/** Starts the program; `on` sees each piece of standard output and the process. */
export function duplex(args, { env = {}, input, on } = {}) {
  const child = spawn(process.execPath, [bin, ...args], { env: { ...clean, ...env }, cwd: folder });
  const result = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    result.stdout += text;
    on?.(text, child);
  });
  child.stderr.setEncoding("utf8").on("data", (text) => (result.stderr += text));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((done) => child.on("close", (code) => done({ ...result, code })));
}

export const jsonLines = (text) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** One line for people that names the place, and nothing on standard output. */
export function assertRefused({ code, stdout, stderr }, { exit, names }) {
  assert.equal(code, exit, stderr);
  assert.match(stderr, /^duplex: [^\n]+\n$/, "one line");
  assert.doesNotMatch(stderr, /\.js:\d+|Error:/, "no stack trace");
  for (const name of [names].flat()) assert.ok(stderr.includes(name), `${stderr} names ${name}`);
  assert.equal(stdout, "");
}

/** Runs a few at a time: each is a process. */
export async function each(items, work) {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all([worker(), worker(), worker()]);
}

/** A server on loopback that answers each request so. */
export async function serving(context, answer) {
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(request, response));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const close = () =>
    new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    });
  context.after(close);
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close };
}
