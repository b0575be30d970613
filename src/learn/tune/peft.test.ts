import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import * as fc from "fast-check";
import { checkGguf } from "../../models/llama/gguf.ts";
import { llama } from "../../models/llama/index.ts";
import { tinyGguf } from "../../testing/gguf.ts";
import { baseOf } from "./base.ts";
import { nextOf, plainOf } from "./forward.fixture.ts";
import { ggufBytes } from "./gguf-file.ts";
import { convertAdapter, interleaved } from "./peft.ts";
import { safetensors, writePeft } from "./peft.fixture.ts";
import { openPrompts } from "./prompts.ts";

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "duplex-peft-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "base.gguf"), tinyGguf());
  return folder;
}

const words: readonly [string, string] = ["Yes", "No"];
const asked = ["is so the answer", "the step is Yes and so is No", "No"].map((content) => [
  { role: "user" as const, content },
]);

test("Base and adapter say in llama.cpp what plain arithmetic says they say", async (t) => {
  const folder = await folderFor(t);
  const base = join(folder, "base.gguf");
  const factors = await writePeft(join(folder, "peft"));
  const out = join(folder, "adapter.gguf");
  assert.deepEqual((await convertAdapter(join(folder, "peft"), { base, out })).tensors, 28);
  const plain = await plainOf(base);
  const prompts = await openPrompts(await baseOf(base), { words, contextTokens: 512 });
  t.after(() => prompts.close());
  let apart = 0;
  for (const lora of [[], [{ path: out }]]) {
    const model = await llama({ path: base, lora });
    for (const messages of asked) {
      const { probabilities } = await model.choose({ messages }, words);
      const shares = nextOf(plain, prompts.of(messages), lora.length > 0 ? factors : undefined);
      const sums = [prompts.yes, prompts.no].map((tokens) => tokens.reduce((sum, token) => sum + shares[token]!, 0));
      sums.forEach((sum, index) =>
        assert.ok(Math.abs(sum - probabilities[index]!) < 1e-4, `${sum} ${probabilities[index]}`),
      );
      if (lora.length > 0)
        apart = Math.max(
          apart,
          Math.abs(sums[0]! - prompts.yes.reduce((sum, token) => sum + nextOf(plain, prompts.of(messages))[token]!, 0)),
        );
    }
    await model.close();
  }
  // Otherwise the adapter would not have been tried.
  assert.ok(apart > 0.01, String(apart));
});

test("Rows of a head take turns, and none is lost", () => {
  const shape = fc.record({
    heads: fc.integer({ min: 1, max: 5 }),
    half: fc.integer({ min: 1, max: 4 }),
    columns: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(shape, ({ heads, half, columns }) => {
      const rows = heads * half * 2;
      const data = Float32Array.from({ length: rows * columns }, (_, index) => index);
      const out = interleaved({ shape: [rows, columns], data }, heads);
      assert.deepEqual(
        [...out].toSorted((a, b) => a - b),
        [...data],
      );
      for (let row = 0; row < rows; row++) {
        const [head, within] = [Math.floor(row / (2 * half)), row % (2 * half)];
        const from = head * 2 * half + (within % 2) * half + Math.floor(within / 2);
        assert.equal(out[row * columns], data[from * columns]);
      }
    }),
  );
});

test("Only the llama kind has rows that take turns", async (t) => {
  const folder = await folderFor(t);
  const shapes = [
    ["blk.0.attn_q.weight", [64, 64]],
    ["blk.0.attn_k.weight", [64, 32]],
    ["blk.0.attn_v.weight", [64, 32]],
    ["blk.0.attn_output.weight", [64, 64]],
    ["blk.0.ffn_gate.weight", [64, 64]],
    ["blk.0.ffn_up.weight", [64, 64]],
    ["blk.0.ffn_down.weight", [64, 64]],
  ] as const;
  const tensors = shapes.map(([name, dimensions]) => ({
    name,
    dimensions,
    data: new Float32Array(dimensions[0] * dimensions[1]),
  }));
  const base = join(folder, "qwen.gguf");
  const heads = { "qwen2.attention.head_count": 4, "qwen2.attention.head_count_kv": 2 };
  await writeFile(base, ggufBytes({ "general.architecture": "qwen2", ...heads }, tensors));
  const { of } = await writePeft(join(folder, "peft"), { layers: [0] });
  const out = join(folder, "adapter.gguf");
  await convertAdapter(join(folder, "peft"), { base, out });
  const { tensors: written, dataOffset } = await checkGguf(out);
  const bytes = await readFile(out);
  for (const { name, dimensions, offset } of written) {
    const pair = of.get(name.slice(0, -".lora_a".length));
    const { shape, data } = pair![name.endsWith("a") ? "a" : "b"];
    assert.deepEqual(dimensions, shape.toReversed());
    const first = Array.from({ length: data.length }, (_, index) => bytes.readFloatLE(dataOffset + offset + index * 4));
    assert.deepEqual(first, [...data]);
  }
});

test("What is no adapter for this base is refused by name", async (t) => {
  const folder = await folderFor(t);
  const base = join(folder, "base.gguf");
  const peft = join(folder, "peft");
  const convert = () => convertAdapter(peft, { base, out: join(folder, "adapter.gguf") });
  await assert.rejects(convert, /adapter_config\.json: cannot be read/);
  await writePeft(peft, { config: { use_dora: true } });
  await assert.rejects(convert, /adapter_config\.json: has use_dora set/);
  await writePeft(peft, { config: { rank_pattern: { q_proj: 2 } } });
  await assert.rejects(convert, /has rank_pattern set/);
  await writePeft(peft, { config: { peft_type: "IA3" } });
  await assert.rejects(convert, /is no LoRA adapter of PEFT/);
  await writePeft(peft, { layers: [0, 7] });
  await assert.rejects(convert, /layers\.7\..*has no place for/);
  await writePeft(peft, { config: { r: 8 } });
  await assert.rejects(convert, /is 64 x 4, which does not fit|is 4 x 64, which does not fit/);
  await writePeft(peft, { size: Number.NaN });
  await assert.rejects(convert, /holds a number that is none: the training went wrong/);
  await writePeft(peft);
  await writeFile(join(peft, "adapter_model.safetensors"), safetensors(new Map()));
  await assert.rejects(convert, /holds no tensors/);
  const other = join(folder, "other.gguf");
  await writeFile(other, ggufBytes({ "general.architecture": "gemma" }, []));
  await writePeft(peft);
  await assert.rejects(convertAdapter(peft, { base: other, out: join(folder, "a.gguf") }), /of the kind "gemma"/);
});
