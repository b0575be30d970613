import assert from "node:assert/strict";
import { test } from "node:test";
import { openai } from "../../models/openai.ts";
import type { Io } from "../io.ts";
import { simulateCommand } from "./simulate.ts";

/** Runs the command with what it writes; `line` resolves to its first line on stdout. */
function running(args: readonly string[], env: Io["env"] = {}) {
  const controller = new AbortController();
  const written = { stdout: "", stderr: "" };
  let first: (line: string) => void = () => {};
  const line = new Promise<string>((resolve) => (first = resolve));
  const out = (name: keyof typeof written, then: (text: string) => void) => ({
    write: (text: string) => {
      written[name] += text;
      then(text);
    },
  });
  const io: Io = { stdout: out("stdout", first), stderr: out("stderr", () => {}), env, signal: controller.signal };
  const command = simulateCommand(io).exitOverride();
  return { done: command.parseAsync(args, { from: "user" }), line, written, stop: () => controller.abort() };
}

test("prints where it serves, serves as told, and stops on the signal with what it served", async () => {
  const { done, line, written, stop } = running([
    "--ttft",
    "0",
    "--decode",
    "Infinity",
    "--steps=2",
    "--step-tokens=8",
  ]);
  const baseURL = (await line).trim();
  assert.match(baseURL, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  let output = 0;
  const request = { messages: [{ role: "user", content: "Go." } as const] };
  for await (const part of openai({ baseURL, model: "simulated" }).stream(request)) {
    if (part.type === "end") output = part.usage.outputTokens;
  }
  assert.equal(output, 16);
  stop();
  await done;
  assert.equal(written.stderr, "1 calls: 1 tokens read (0 cached), 16 generated\n");
  await assert.rejects(fetch(`${baseURL}/models`));
});

test("prints JSON where asked, and requires the key of the environment", async () => {
  const { done, line, stop } = running(["--json", "--require-key", "--id", "toy"], { DUPLEX_API_KEY: "k" });
  const { url } = JSON.parse(await line) as { url: string };
  assert.equal((await fetch(`${url}/models`)).status, 401);
  const listed = await (await fetch(`${url}/models`, { headers: { authorization: "Bearer k" } })).text();
  assert.match(listed, /"id":"toy"/);
  stop();
  await done;
});

test("names the flag that is wrong", async () => {
  await assert.rejects(running(["--step-tokens", "0"]).done, /^ConfigError: --step-tokens: 0 is not a whole number/);
  await assert.rejects(running(["--decode", "fast"]).done, /^ConfigError: --decode: "fast" is not a number/);
  await assert.rejects(running(["--port", "http"]).done, /^ConfigError: --port: must be a whole number .*"http"/);
  await assert.rejects(running(["--port", "70000"]).done, /^ConfigError: --port: must be a whole number/);
  await assert.rejects(running(["--host", "no.such.host.invalid"]).done, /^ConfigError: --host: /);
  await assert.rejects(running(["--cache", "disk"]).done, /^ConfigError: --cache: "disk" is none of shared/);
  await assert.rejects(running(["--require-key"]).done, /^ConfigError: --require-key: set DUPLEX_API_KEY/);
});
