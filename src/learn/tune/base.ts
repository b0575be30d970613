// Which base model an adapter belongs to.

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { ConfigError } from "../../base/errors.ts";
import { checkGguf } from "../../models/llama/gguf.ts";
import { adaptable } from "./peft.ts";

const slice = 1 << 16;
const slices = 32;

/** What is known of a base model's file without reading all of it. */
export type Base = {
  readonly path: string;
  readonly architecture: string;
  readonly layers: number;
  /** Of the header, the size, and 32 slices of the weights: tells apart files of other weights, vocabulary or quantization. */
  readonly digest: string;
  readonly template: string | undefined;
};

/** Looks at a GGUF file. Rejects with a ConfigError where no adapter can be made for it. */
export async function baseOf(path: string): Promise<Base> {
  const { metadata, dataOffset, fileBytes } = await checkGguf(path);
  const architecture = String(metadata.get("general.architecture"));
  if (!adaptable.includes(architecture))
    throw new ConfigError(
      path,
      `is of the kind "${architecture}"; adapters can be made for ${adaptable.join(" and ")}`,
    );
  const layers = Number(metadata.get(`${architecture}.block_count`));
  const template = metadata.get("tokenizer.chat_template");
  const hash = createHash("sha256").update(`${fileBytes} `);
  const file = await open(path);
  try {
    const take = async (start: number, length: number) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
      hash.update(buffer.subarray(0, bytesRead));
    };
    for (let at = 0; at < dataOffset; at += 1 << 20) await take(at, Math.min(1 << 20, dataOffset - at));
    const room = Math.max(0, fileBytes - slice - dataOffset);
    for (let index = 0; index < slices; index++)
      await take(dataOffset + Math.floor((room * index) / (slices - 1)), slice);
  } finally {
    await file.close();
  }
  return {
    path,
    architecture,
    layers,
    digest: hash.digest("hex"),
    template: typeof template === "string" ? template : undefined,
  };
}
