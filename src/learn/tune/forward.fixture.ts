// A model of the llama kind in plain arithmetic, as transformers computes it (rotary embedding by halves of a head), with an
// adapter of PEFT's on top: what llama.cpp says is held against this.

import { open } from "node:fs/promises";
import { readGguf } from "../../models/llama/gguf.ts";
import type { Tensor } from "./safetensors.ts";

type Matrix = { readonly rows: number; readonly columns: number; readonly data: Float32Array };

export type Plain = {
  readonly matrices: ReadonlyMap<string, Matrix>;
  readonly layers: number;
  readonly heads: number;
  readonly keyHeads: number;
};

/** An adapter as PEFT holds it: `blk.N.attn_q.weight` to its two factors. */
export type Factors = {
  readonly scale: number;
  readonly of: ReadonlyMap<string, { readonly a: Tensor; readonly b: Tensor }>;
};

/** Undoes what GGUF files of this kind do to the rows of queries and keys. */
function halved({ rows, columns, data }: Matrix, heads: number): Matrix {
  const out = new Float32Array(data.length);
  const size = rows / heads;
  for (let head = 0; head < heads; head++)
    for (let pair = 0; pair < size / 2; pair++)
      for (const side of [0, 1]) {
        const from = head * size + 2 * pair + side;
        out.set(
          data.subarray(from * columns, (from + 1) * columns),
          (head * size + side * (size / 2) + pair) * columns,
        );
      }
  return { rows, columns, data: out };
}

/** Reads a GGUF file of 32-bit floats. */
export async function plainOf(path: string): Promise<Plain> {
  const { tensors, metadata, dataOffset } = await readGguf(path);
  const [heads, keyHeads, layers] = ["attention.head_count", "attention.head_count_kv", "block_count"].map((name) =>
    Number(metadata.get(`llama.${name}`)),
  ) as [number, number, number];
  const file = await open(path);
  const matrices = new Map<string, Matrix>();
  for (const { name, dimensions, offset, bytes = 0 } of tensors) {
    const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, dataOffset + offset);
    const data = new Float32Array(buffer.buffer, buffer.byteOffset, bytes / 4);
    const whole = { rows: dimensions[1] ?? 1, columns: dimensions[0] ?? 1, data };
    const count = name.includes("attn_q.") ? heads : name.includes("attn_k.") ? keyHeads : undefined;
    matrices.set(name, count === undefined ? whole : halved(whole, count));
  }
  await file.close();
  return { matrices, layers, heads, keyHeads };
}

const times = ({ rows, columns, data }: Matrix, x: Float32Array): Float32Array =>
  Float32Array.from({ length: rows }, (_, row) => {
    let sum = 0;
    for (let i = 0; i < columns; i++) sum += data[row * columns + i]! * x[i]!;
    return sum;
  });

const asMatrix = ({ shape, data }: Tensor): Matrix => ({ rows: shape[0] ?? 0, columns: shape[1] ?? 0, data });

function normed(x: Float32Array, weight: Float32Array): Float32Array {
  const square = x.reduce((sum, value) => sum + value * value, 0) / x.length;
  return x.map((value, index) => (value / Math.sqrt(square + 1e-5)) * weight[index]!);
}

/** Turns each head by its place. */
function turned(x: Float32Array, heads: number, position: number): Float32Array {
  const out = x.slice();
  const size = x.length / heads;
  for (let head = 0; head < heads; head++)
    for (let j = 0; j < size / 2; j++) {
      const angle = position * 10000 ** ((-2 * j) / size);
      const [at, other] = [head * size + j, head * size + j + size / 2];
      out[at] = x[at]! * Math.cos(angle) - x[other]! * Math.sin(angle);
      out[other] = x[other]! * Math.cos(angle) + x[at]! * Math.sin(angle);
    }
  return out;
}

type Heads = {
  readonly q: Float32Array;
  readonly keys: readonly Float32Array[];
  readonly values: readonly Float32Array[];
};

function attended({ q, keys, values }: Heads, { heads, keyHeads }: Plain): Float32Array {
  const size = q.length / heads;
  const out = new Float32Array(q.length);
  for (let head = 0; head < heads; head++) {
    const [from, shared] = [head * size, Math.floor(head / (heads / keyHeads)) * size];
    const scores = keys.map((key) => {
      let sum = 0;
      for (let i = 0; i < size; i++) sum += q[from + i]! * key[shared + i]!;
      return sum / Math.sqrt(size);
    });
    const most = Math.max(...scores);
    const weights = scores.map((score) => Math.exp(score - most));
    const total = weights.reduce((a, b) => a + b, 0);
    for (const [place, weight] of weights.entries())
      for (let i = 0; i < size; i++) out[from + i]! += (weight / total) * values[place]![shared + i]!;
  }
  return out;
}

/** Probabilities of the next token. */
export function nextOf(plain: Plain, tokens: readonly number[], factors?: Factors): Float64Array {
  const { matrices, layers, heads, keyHeads } = plain;
  const weight = (name: string) => matrices.get(name)!;
  const through = (name: string, x: Float32Array): Float32Array => {
    const plainly = times(weight(name), x);
    const pair = factors?.of.get(name);
    if (pair === undefined) return plainly;
    const more = times(asMatrix(pair.b), times(asMatrix(pair.a), x));
    return plainly.map((value, index) => value + factors!.scale * more[index]!);
  };
  const { columns: width, data: embedding } = weight("token_embd.weight");
  let states = tokens.map((token) => embedding.slice(token * width, (token + 1) * width));
  for (let layer = 0; layer < layers; layer++) {
    const at = (name: string) => `blk.${layer}.${name}.weight`;
    const inputs = states.map((x) => normed(x, weight(at("attn_norm")).data));
    const keys = inputs.map((x, place) => turned(through(at("attn_k"), x), keyHeads, place));
    const values = inputs.map((x) => through(at("attn_v"), x));
    states = states.map((x, place) => {
      const q = turned(through(at("attn_q"), inputs[place]!), heads, place);
      const heard = { q, keys: keys.slice(0, place + 1), values: values.slice(0, place + 1) };
      const added = through(at("attn_output"), attended(heard, plain));
      const middle = x.map((value, index) => value + added[index]!);
      const y = normed(middle, weight(at("ffn_norm")).data);
      const gate = through(at("ffn_gate"), y);
      const up = through(at("ffn_up"), y);
      const inner = gate.map((value, index) => (value / (1 + Math.exp(-value))) * up[index]!);
      const down = through(at("ffn_down"), inner);
      return middle.map((value, index) => value + down[index]!);
    });
  }
  const logits = times(weight("output.weight"), normed(states.at(-1)!, weight("output_norm.weight").data));
  const most = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const shares = Float64Array.from(logits, (logit) => Math.exp(logit - most));
  const total = shares.reduce((a, b) => a + b, 0);
  return shares.map((share) => share / total);
}
