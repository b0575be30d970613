// Adapters as PEFT writes them, with random numbers.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { normal, random } from "../../base/random.ts";
import type { Factors } from "./forward.fixture.ts";
import { modules } from "./peft.ts";
import type { Tensor } from "./safetensors.ts";

/** The bytes of a safetensors file of 32-bit floats. */
export function safetensors(tensors: ReadonlyMap<string, Tensor>): Buffer {
  let offset = 0;
  const header = Object.fromEntries(
    [...tensors].map(([name, { shape, data }]) => {
      const start = offset;
      offset += data.length * 4;
      return [name, { dtype: "F32", shape, data_offsets: [start, offset] }];
    }),
  );
  const head = Buffer.from(JSON.stringify({ __metadata__: { format: "pt" }, ...header }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(head.length));
  const body = [...tensors.values()].map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  return Buffer.concat([length, head, ...body]);
}

/** Input and output widths of a tiny model's modules. */
export const widths: Readonly<Record<string, readonly [input: number, output: number]>> = {
  q_proj: [64, 64],
  k_proj: [64, 32],
  v_proj: [64, 32],
  o_proj: [64, 64],
  gate_proj: [64, 64],
  up_proj: [64, 64],
  down_proj: [64, 64],
};

export type PeftOptions = {
  readonly seed?: number | undefined;
  readonly layers?: readonly number[] | undefined;
  readonly rank?: number | undefined;
  /** How large its numbers are; 0.3. */
  readonly size?: number | undefined;
  /** Over what the configuration says. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
};

/** Writes an adapter of all modules of a tiny model; the factors in it, under the names of GGUF files. */
export async function writePeft(folder: string, options: PeftOptions = {}): Promise<Factors> {
  const { seed = 3, layers = [0, 1], rank = 4, size = 0.3, config = {} } = options;
  const next = random(seed);
  const matrix = (rows: number, columns: number): Tensor => ({
    shape: [rows, columns],
    data: Float32Array.from({ length: rows * columns }, () => (size * normal(next)) / Math.sqrt(columns / 4)),
  });
  const tensors = new Map<string, Tensor>();
  const of = new Map<string, { a: Tensor; b: Tensor }>();
  for (const layer of layers)
    for (const [module, [input, output]] of Object.entries(widths)) {
      const [a, b] = [matrix(rank, input), matrix(output, rank)];
      const part = module.endsWith("_proj") && ["q", "k", "v", "o"].includes(module[0] ?? "") ? "self_attn" : "mlp";
      const at = `base_model.model.model.layers.${layer}.${part}.${module}`;
      tensors.set(`${at}.lora_A.weight`, a);
      tensors.set(`${at}.lora_B.weight`, b);
      of.set(`blk.${layer}.${modules[module]}.weight`, { a, b });
    }
  await mkdir(folder, { recursive: true });
  const all = { peft_type: "LORA", r: rank, lora_alpha: 2 * rank, bias: "none", use_rslora: false, ...config };
  await writeFile(join(folder, "adapter_config.json"), JSON.stringify(all));
  await writeFile(join(folder, "adapter_model.safetensors"), safetensors(tensors));
  return { scale: 2, of };
}
