// An adapter as PEFT writes it, made one that llama.cpp loads.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError, explain } from "../../base/errors.ts";
import { checkGguf } from "../../models/llama/gguf.ts";
import type { GgufHeader } from "../../models/llama/gguf.ts";
import { ggufBytes, writeWhole } from "./gguf-file.ts";
import type { GgufFloats } from "./gguf-file.ts";
import { readSafetensors } from "./safetensors.ts";
import type { Tensor } from "./safetensors.ts";

/** The kinds of base whose adapters can be converted. */
export const adaptable: readonly string[] = ["llama", "qwen2"];

/** Modules that can be adapted: what they are called in transformers, and in GGUF files. */
export const modules: Readonly<Record<string, string>> = {
  q_proj: "attn_q",
  k_proj: "attn_k",
  v_proj: "attn_v",
  o_proj: "attn_output",
  gate_proj: "ffn_gate",
  up_proj: "ffn_up",
  down_proj: "ffn_down",
};

/**
 * The rows of a matrix as GGUF files of the llama kind hold those of queries and keys: within each head the two halves of its
 * rows take turns, since llama.cpp turns neighbors where transformers turns halves (rotary embedding).
 */
export function interleaved({ shape, data }: Tensor, heads: number): Float32Array {
  const [rows = 0, columns = 0] = shape;
  const size = rows / heads;
  const half = size / 2;
  const out = new Float32Array(data.length);
  for (let row = 0; row < rows; row++) {
    const head = Math.floor(row / size);
    const within = row % size;
    const to = head * size + (within % half) * 2 + Math.floor(within / half);
    out.set(data.subarray(row * columns, (row + 1) * columns), to * columns);
  }
  return out;
}

type Config = { readonly rank: number; readonly alpha: number };

const plain: Readonly<Record<string, unknown>> = {
  use_dora: false,
  bias: "none",
  modules_to_save: null,
  fan_in_fan_out: false,
  lora_bias: false,
};

async function readConfig(folder: string): Promise<Config> {
  const path = join(folder, "adapter_config.json");
  let config: Readonly<Record<string, unknown>>;
  try {
    config = JSON.parse(await readFile(path, "utf8")) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new ConfigError(path, `cannot be read: ${explain(cause)}`, { cause });
  }
  const { peft_type: kind, r: rank, lora_alpha: alpha, use_rslora: scaled } = config;
  if (kind !== "LORA" || typeof rank !== "number" || typeof alpha !== "number")
    throw new ConfigError(path, "is no LoRA adapter of PEFT");
  const other = Object.entries(plain).find(([name, value]) => (config[name] ?? value) !== value);
  const patterns = ["rank_pattern", "alpha_pattern"].find((name) => Object.keys(config[name] ?? {}).length > 0);
  const odd = other?.[0] ?? patterns;
  if (odd !== undefined) throw new ConfigError(path, `has ${odd} set, which llama.cpp's adapters cannot hold`);
  // llama.cpp scales by alpha / rank.
  return { rank, alpha: scaled === true ? alpha * Math.sqrt(rank) : alpha };
}

type Heads = { readonly queries: number; readonly keys: number; readonly architecture: string };

function headsOf(path: string, { metadata }: GgufHeader): Heads {
  const architecture = String(metadata.get("general.architecture"));
  if (!adaptable.includes(architecture))
    throw new ConfigError(
      path,
      `is of the kind "${architecture}"; adapters can be made for ${adaptable.join(" and ")}`,
    );
  const queries = metadata.get(`${architecture}.attention.head_count`);
  const keys = metadata.get(`${architecture}.attention.head_count_kv`) ?? queries;
  if (typeof queries !== "number" || typeof keys !== "number")
    throw new ConfigError(path, "does not say how many attention heads it has");
  return { queries, keys, architecture };
}

const named = /^base_model\.model\.model\.layers\.(\d+)\.(?:self_attn|mlp)\.(\w+)\.lora_([AB])\.weight$/;

/** One tensor as the file holds it; its shape must be the base's. */
function placed(key: string, tensor: Tensor, { heads, shapes, rank }: Placing): GgufFloats {
  const [, layer, module = "", side = ""] = named.exec(key) ?? [];
  const target = `blk.${layer}.${modules[module]}.weight`;
  const dimensions = shapes.get(target);
  if (dimensions === undefined) throw new ConfigError(key, "is a tensor that the base model has no place for");
  const [width = 0, height = 0] = dimensions;
  const wanted = side === "A" ? [rank, width] : [height, rank];
  if (tensor.shape.join() !== wanted.join())
    throw new ConfigError(
      key,
      `is ${tensor.shape.join(" x ")}, which does not fit ${target} of the base (${height} x ${width})`,
    );
  if (!tensor.data.every(Number.isFinite))
    throw new ConfigError(key, "holds a number that is none: the training went wrong");
  const count = heads.architecture === "llama" && side === "B" ? turned(module, heads) : undefined;
  const data = count === undefined ? tensor.data : interleaved(tensor, count);
  return { name: `${target}.lora_${side.toLowerCase()}`, dimensions: wanted.toReversed(), data };
}

/** How many heads' rows take turns in a module; undefined where none do. */
function turned(module: string, { queries, keys }: Heads): number | undefined {
  if (module === "q_proj") return queries;
  return module === "k_proj" ? keys : undefined;
}

type Placing = {
  readonly heads: Heads;
  readonly rank: number;
  readonly shapes: ReadonlyMap<string, readonly number[]>;
};

/** What was written. */
export type Converted = { readonly tensors: number; readonly bytes: number; readonly rank: number };

/** What an adapter is converted for, and where it goes. */
export type ConvertOptions = {
  /** The base's GGUF file. */
  readonly base: string;
  /** The GGUF adapter to be written. */
  readonly out: string;
  /** Put into the file as text, by key. */
  readonly notes?: Readonly<Record<string, string>> | undefined;
};

/**
 * Writes the PEFT adapter in `folder` as a GGUF adapter for its base. Rejects with a ConfigError for one that is none, that is
 * for another base, or that llama.cpp could not hold.
 */
export async function convertAdapter(folder: string, { base, out, notes = {} }: ConvertOptions): Promise<Converted> {
  const { rank, alpha } = await readConfig(folder);
  const header = await checkGguf(base);
  const heads = headsOf(base, header);
  const shapes = new Map(header.tensors.map(({ name, dimensions }) => [name, dimensions]));
  const weights = join(folder, "adapter_model.safetensors");
  const found = await readSafetensors(weights);
  if (found.size === 0) throw new ConfigError(weights, "holds no tensors");
  const tensors = [...found.keys()].toSorted().map((key) => placed(key, found.get(key)!, { heads, rank, shapes }));
  const metadata = {
    "general.type": "adapter",
    "general.architecture": heads.architecture,
    "general.name": "duplex listener",
    "adapter.type": "lora",
    "adapter.lora.alpha": alpha,
    ...notes,
  };
  const bytes = ggufBytes(metadata, tensors);
  await writeWhole(out, bytes);
  return { tensors: tensors.length, bytes: bytes.length, rank };
}
