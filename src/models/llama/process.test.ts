// What only shows in a process of its own: what is written to its streams, and what happens without the optional peer.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { tinyGguf } from "../../testing/gguf.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-process-"));
});
after(() => rm(folder, { recursive: true, force: true }));

const here = new URL("./index.js", import.meta.url).href;

/** Runs a program that may call `llama`, in a process of its own. */
function node(program: string, ...flags: readonly string[]) {
  const code = `import { llama } from ${JSON.stringify(here)};\n${program}`;
  return promisify(execFile)(process.execPath, [...flags, "--input-type=module", "--eval", code], { timeout: 60_000 });
}

test("llama.cpp writes nothing to anybody's streams, and a process ends by itself though nobody closed the model", async () => {
  const whole = join(folder, "whole.gguf");
  const odd = join(folder, "odd.gguf");
  const bytes = tinyGguf();
  await writeFile(whole, bytes);
  // The header is sound, and then llama.cpp finds an architecture it does not know.
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf("llama");
  bytes.set(Buffer.from("lllll"), at);
  await writeFile(odd, bytes);
  const { stdout, stderr } = await node(`
    const model = await llama({ path: ${JSON.stringify(whole)} });
    const request = { messages: [{ role: "user", content: "one" }], maxTokens: 5 };
    for await (const part of model.stream(request)) if (part.type === "end") console.log(part.reason);
    await model.choose(request, ["Yes", "No"]);
    await llama({ path: ${JSON.stringify(odd)} }).catch((error) => console.log(error.name, error.message.split(":")[0]));
    const again = await llama({ path: ${JSON.stringify(whole)} });
    await again.close();`);
  assert.deepEqual(stdout.split("\n"), ["length", `ModelError cannot load ${odd}`, ""]);
  assert.equal(stderr, "");
});

test("Without node-llama-cpp, the error says how to get it", async () => {
  const path = join(folder, "tiny.gguf");
  await writeFile(path, tinyGguf());
  const hooks = `export const resolve = (name, context, next) => {
    if (name === "node-llama-cpp") throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    return next(name, context);
  };`;
  const url = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const register = url(`import { register } from "node:module"; register(${JSON.stringify(url(hooks))});`);
  const program = `await llama({ path: ${JSON.stringify(path)} }).catch((error) => console.log(error.name, error.message));`;
  const { stdout } = await node(program, "--import", register);
  assert.match(
    stdout,
    /^ConfigError llama: local models need the optional package node-llama-cpp: run `npm i node-llama-cpp`/,
  );
});
