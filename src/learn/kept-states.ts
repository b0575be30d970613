// States that were read, kept on disk as they come: reading is what takes long in making an ear, and one that was stopped goes on.

import { createHash } from "node:crypto";
import { open, stat } from "node:fs/promises";
import { ConfigError, explain } from "../base/errors.ts";
import type { Message } from "../core/types.ts";

/** Which state: of which model, after which layer (or of which head), of which prompt. */
export type StateKey = {
  readonly model: string;
  readonly layer: number | string;
  readonly messages: readonly Message[];
};

export type KeptStates = {
  readonly find: (key: StateKey) => Promise<readonly number[] | undefined>;
  readonly add: (key: StateKey, row: readonly number[]) => Promise<void>;
  readonly close: () => Promise<void>;
};

const encoded = (row: readonly number[]): string => Buffer.from(Float32Array.from(row).buffer).toString("base64");

function decoded(text: string): number[] {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"));
  return [...new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4))];
}

/** A model is known by its size: a file that was replaced is read again. */
async function nameOf({ model, layer, messages }: StateKey): Promise<string> {
  const { size } = await stat(model);
  return createHash("sha256")
    .update(JSON.stringify([size, layer, messages]))
    .digest("hex")
    .slice(0, 32);
}

/** Opens a file of states, or begins one; a last line that was torn is dropped. Rejects with a ConfigError that names the file. */
export async function keptStates(path: string): Promise<KeptStates> {
  const file = await open(path, "a+").catch((cause: unknown) => {
    throw new ConfigError(path, `cannot be written: ${explain(cause)}`, { cause });
  });
  const known = new Map<string, string>();
  const text = await file.readFile("utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) await file.truncate(Buffer.byteLength(whole));
  for (const line of whole.split("\n")) {
    const [, name, row] = /^([0-9a-f]{32}) ([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
    if (name !== undefined && row !== undefined) known.set(name, row);
  }
  return {
    find: async (key) => {
      const row = known.get(await nameOf(key));
      return row === undefined ? undefined : decoded(row);
    },
    add: async (key, row) => {
      const [name, code] = [await nameOf(key), encoded(row)];
      known.set(name, code);
      await file.appendFile(`${name} ${code}\n`).catch((cause: unknown) => {
        throw new ConfigError(path, `cannot be written: ${explain(cause)}; what is in it is kept`, { cause });
      });
    },
    close: () => file.close(),
  };
}
