import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as fc from "fast-check";
import { normal, random } from "../../base/random.ts";
import { tinyGguf, tinyLora } from "../../testing/gguf.ts";
import { locate } from "../store/index.ts";
import { cutGguf, rewriteGguf, shapeOf, toFloat16 } from "./gguf-write.ts";
import { checkGguf } from "./gguf.ts";
import { llama } from "./index.ts";
import { share } from "./native.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-gguf-write-"));
});
after(() => rm(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);

async function tiny(name: string, layers = 3): Promise<string> {
  await writeFile(at(name), tinyGguf({ layers }));
  return at(name);
}

/** The value of 16-bit floats as the format defines it. */
function fromFloat16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

test("Every 16-bit float is itself, and between two of them the nearer is taken", () => {
  for (let bits = 0; bits < 0x10000; bits++) {
    const value = fromFloat16(bits);
    if (!Number.isNaN(value)) assert.equal(toFloat16(value), bits);
  }
  const double = fc.double({ min: -65000, max: 65000, noNaN: true });
  fc.assert(
    fc.property(double, (value) => {
      const bits = toFloat16(value);
      const error = Math.abs(fromFloat16(bits) - value);
      for (const other of [bits - 1, bits + 1].filter((each) => (each & 0x7fff) < 0x7c00 && each >= 0))
        assert.ok(error <= Math.abs(fromFloat16(other) - value) || (bits & 0x8000) !== (other & 0x8000));
    }),
  );
});

test("A file written back unchanged is the same byte by byte", async () => {
  const files: readonly (readonly [string, Uint8Array])[] = [
    ["model", tinyGguf({ layers: 3 })],
    ["old", tinyGguf({ version: 2 })],
    ["adapter", tinyLora()],
    ["trailing", Buffer.concat([tinyGguf(), Buffer.from("behind the last tensor")])],
  ];
  for (const [name, bytes] of files) {
    await writeFile(at(name), bytes);
    await rewriteGguf(at(name), at(`${name}.copy`));
    assert.ok(Buffer.compare(await readFile(at(`${name}.copy`)), bytes) === 0, name);
  }
});

test("A number keeps its place and type, a new one comes last, and nothing else changes", async () => {
  const source = await tiny("numbers.gguf");
  await rewriteGguf(source, at("changed.gguf"), { set: { "llama.context_length": 99, "llama.pooling_type": 3 } });
  const [was, is] = [await checkGguf(source), await checkGguf(at("changed.gguf"))];
  assert.deepEqual([...is.metadata.keys()], [...was.metadata.keys(), "llama.pooling_type"]);
  const expected = new Map([...was.metadata, ["llama.context_length", 99], ["llama.pooling_type", 3]]);
  assert.deepEqual(is.metadata, expected);
  assert.deepEqual(is.tensors, was.tensors);
  const [old, now] = [await readFile(source), await readFile(at("changed.gguf"))];
  assert.ok(old.subarray(was.dataOffset).equals(now.subarray(is.dataOffset)));
});

test("A file cut after a layer holds the first layers and the head given, and runs", async () => {
  const source = await tiny("whole.gguf");
  const { width, vocabulary } = await shapeOf(source);
  const row = Array.from({ length: width }, (_, index) => (index % 5) / 8);
  await cutGguf(source, at("cut.gguf"), { layers: 2, head: new Map([[265, row]]) });
  const [was, is] = [await checkGguf(source), await checkGguf(at("cut.gguf"))];
  assert.equal(is.metadata.get("llama.block_count"), 2);
  const names = is.tensors.map(({ name }) => name);
  const kept = was.tensors.filter(({ name }) => !/^(?:blk\.2\.|output\.)/.test(name)).map(({ name }) => name);
  assert.deepEqual(names, [...kept, "output.weight"]);
  const [old, now] = [await readFile(source), await readFile(at("cut.gguf"))];
  for (const name of kept) {
    const [one, other] = [was, is].map((file) => {
      const found = file.tensors.find((tensor) => tensor.name === name);
      return { start: file.dataOffset + (found?.offset ?? 0), bytes: found?.bytes ?? 0 };
    });
    assert.ok(
      old
        .subarray(one?.start, (one?.start ?? 0) + (one?.bytes ?? 0))
        .equals(now.subarray(other?.start, (other?.start ?? 0) + (other?.bytes ?? 0))),
    );
  }
  const head = is.tensors.at(-1);
  const start = is.dataOffset + (head?.offset ?? 0);
  const numbers = Array.from({ length: width * vocabulary }, (_, n) => fromFloat16(now.readUInt16LE(start + 2 * n)));
  assert.deepEqual(numbers.slice(265 * width, 266 * width), row);
  assert.ok(numbers.every((value, n) => value === 0 || Math.floor(n / width) === 265));
  const model = await llama({ path: at("cut.gguf"), contextTokens: 256 });
  try {
    const messages = [{ role: "user", content: "So?" } as const];
    const { probabilities } = await model.choose({ messages }, ["Yes", "No"]);
    assert.ok(probabilities.every((p) => p > 0));
  } finally {
    await model.close();
  }
});

test("A cut file gives the embedding that its own head multiplies", async () => {
  const source = await tiny("embed.gguf");
  const next = random(3);
  const { width } = await shapeOf(source);
  const row = Array.from({ length: width }, () => normal(next) / 8);
  await cutGguf(source, at("states.gguf"), { layers: 2, embed: true });
  const states = await share(at("states.gguf"), false);
  try {
    const tokens = states.native.tokenize("the step is so", false, "trimLeadingSpace");
    const context = await states.native.createEmbeddingContext({ contextSize: 256, threads: 1 });
    const { vector } = await context.getEmbeddingFor([...tokens]);
    await context.dispose();
    assert.equal(vector.length, width);
    const yes = states.native.tokenize("Yes", false, "trimLeadingSpace")[0] as number;
    const no = states.native.tokenize("No", false, "trimLeadingSpace")[0] as number;
    await cutGguf(source, at("head.gguf"), { layers: 2, head: new Map([[yes, row]]) });
    const headed = await share(at("head.gguf"), false);
    try {
      const running = await headed.native.createContext({ contextSize: 256, threads: 1 });
      const sequence = running.getSequence();
      const options = { temperature: 1, topK: 0, topP: 1, minP: 0 } as const;
      const asked = { generateNext: { probabilities: true, options } } as const;
      const last = tokens.slice(-1).map((token): [typeof token, typeof asked] => [token, asked]);
      const seen = (await sequence.controlledEvaluate([...tokens.slice(0, -1), ...last])).at(-1)?.next.probabilities;
      await running.dispose();
      const found = Math.log((seen?.get(yes as never) ?? 0) / (seen?.get(no as never) ?? 0));
      const expected = vector.reduce((sum, value, index) => sum + value * (row[index] ?? 0), 0);
      assert.ok(Math.abs(found - expected) < 0.02, `${found} and ${expected}`);
    } finally {
      await headed.release();
    }
  } finally {
    await states.release();
  }
});

test("What cannot be cut or written is named, and no half file stays", async () => {
  const source = await tiny("named.gguf");
  const cut = (options: Parameters<typeof cutGguf>[2], target = at("never.gguf")) => cutGguf(source, target, options);
  await assert.rejects(cut({ layers: 4 }), /^ConfigError: layers: must be from 1 to 3/);
  await assert.rejects(cut({ layers: 1 }, source), /is the file to be read/);
  await assert.rejects(cut({ layers: 1 }, join(folder, "none", "x.gguf")), /cannot be written/);
  await assert.rejects(cut({ layers: 1, head: new Map([[1e6, []]]) }), /has no token 1000000/);
  await assert.rejects(cut({ layers: 1, head: new Map([[1, [1]]]) }), /takes rows of 64 numbers/);
  await writeFile(at("lora.gguf"), tinyLora());
  await assert.rejects(cutGguf(at("lora.gguf"), at("never.gguf"), { layers: 1 }), /does not say how many layers/);
  await assert.rejects(checkGguf(at("never.gguf")), /there is no such file/);
});

test("The embedded model written back is the same, and cut to half it still runs", async (t) => {
  const source = await locate("smollm2-135m").catch(() => undefined);
  if (source === undefined) return t.skip("smollm2-135m is not in the cache: `duplex models pull smollm2-135m`");
  await rewriteGguf(source, at("copy.gguf"));
  assert.ok((await readFile(source)).equals(await readFile(at("copy.gguf"))));
  await cutGguf(source, at("half.gguf"), { layers: 15, embed: true });
  const half = await share(at("half.gguf"), false);
  try {
    const context = await half.native.createEmbeddingContext({ contextSize: 128, threads: 1 });
    const { vector } = await context.getEmbeddingFor("The board meets at nine.");
    await context.dispose();
    assert.equal(vector.length, (await shapeOf(source)).width);
    assert.ok(vector.some((value) => Math.abs(value) > 0.01));
  } finally {
    await half.release();
  }
});
