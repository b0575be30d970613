// A folder with a tiny base, a program that passes for Python, and labels.

import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tinyGguf } from "../../testing/gguf.ts";
import { label } from "../label.ts";
import type { Label } from "../label.ts";
import { exactly, point } from "../points.fixture.ts";
import type { TuneOptions } from "./tune.ts";

/** Short prompts, since a tiny model reads byte by byte: enough is heard once "Yes" was said. */
export const labelsOf = (
  samples: number,
  { prefix = "s", split = "train", about }: { prefix?: string; split?: "train" | "dev"; about?: string } = {},
): Label[] =>
  label(
    Array.from({ length: samples }, (_, sample) =>
      [1, 2].map((chunk) => {
        const text = chunk === 1 ? " the" : " the answer Yes";
        return point({
          sample: `${prefix}${sample}`,
          split,
          chunk,
          tokens: 16 * chunk,
          text,
          about,
          messages: [{ role: "user", content: `${"so ".repeat(sample % 4)}${text}` }],
          cut: exactly(chunk - 1, 16 * chunk),
          full: exactly(1, 60),
        });
      }),
    ).flat(),
  );

/** A program at `path` that runs a script of ours with Node, whatever else it is given. */
export async function program(path: string, script: string): Promise<string> {
  await writeFile(path, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
  await chmod(path, 0o755);
  return path;
}

export const fakeTrainer = fileURLToPath(new URL("./trainer.fixture.js", import.meta.url));

export type Bench = {
  readonly folder: string;
  /** Options of a tuning here; `trainer` is what goes wrong. */
  readonly options: (trainer?: string, over?: Partial<TuneOptions>) => TuneOptions;
  readonly close: () => Promise<void>;
};

export async function bench(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), "duplex-tune-"));
  const base = join(folder, "base.gguf");
  await writeFile(base, tinyGguf());
  const python = await program(join(folder, "python"), fakeTrainer);
  return {
    folder,
    options: (trainer = "", over = {}) => ({
      base,
      out: join(folder, "out"),
      python,
      script: "tune.py",
      question: "Yes?",
      env: { ...process.env, TRAINER: trainer },
      recipe: { steps: 6 },
      ...over,
    }),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
