// Decision points on disk, a line each as they are finished: a killed sampling goes on where it was.

import { open, readFile } from "node:fs/promises";
import { ConfigError, explain } from "../base/errors.ts";
import { formatPoint, keyOf, parsePoints } from "./points.ts";
import type { DecisionPoint } from "./points.ts";

/** A file of decision points that sampling goes on with. */
export type PointsFile = {
  /** What was finished before. */
  readonly done: readonly DecisionPoint[];
  readonly keys: ReadonlySet<string>;
  /** What all points of the file took. */
  readonly took: { readonly generated: number; readonly amount: number };
  /** Resolves once the line is with the operating system. */
  readonly add: (point: DecisionPoint) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Reads a file of points. Rejects with a ConfigError that names the file, and the line of what is wrong. */
export async function readPoints(path: string): Promise<DecisionPoint[]> {
  try {
    return parsePoints(await readFile(path, "utf8"), path);
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(path, `cannot be read: ${explain(cause)}`, { cause });
  }
}

function checkProvenance(points: readonly DecisionPoint[], now: DecisionPoint["provenance"], path: string): void {
  const show = (value: unknown) => JSON.stringify(value ?? null);
  for (const { provenance } of points)
    for (const name of new Set([...Object.keys(provenance), ...Object.keys(now)]))
      if (show(provenance[name]) !== show(now[name]))
        throw new ConfigError(
          path,
          `was made with ${name} ${show(provenance[name])}, now ${show(now[name])}; use it again, or choose another file`,
        );
}

/**
 * Opens a file of points to go on with, or begins one. A last line that was torn is dropped. Rejects with a ConfigError for
 * points of another provenance, and for lines that are no points.
 */
export async function openPoints(path: string, provenance: DecisionPoint["provenance"]): Promise<PointsFile> {
  const file = await open(path, "a+").catch((cause: unknown) => {
    throw new ConfigError(path, `cannot be written: ${explain(cause)}`, { cause });
  });
  try {
    const text = await file.readFile("utf8");
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    const done = parsePoints(whole, path);
    checkProvenance(done, provenance, path);
    if (whole !== text) await file.truncate(Buffer.byteLength(whole));
    let writing = Promise.resolve();
    const append = (line: string) =>
      file.appendFile(line).catch((cause: unknown) => {
        throw new ConfigError(path, `cannot be written: ${explain(cause)}; what is in it is kept`, { cause });
      });
    return {
      done,
      keys: new Set(done.map(keyOf)),
      took: {
        generated: done.reduce((sum, { took }) => sum + (took?.generated ?? 0), 0),
        amount: done.reduce((sum, { took }) => sum + (took?.amount ?? 0), 0),
      },
      add: (point) => (writing = writing.then(() => append(`${formatPoint(point)}\n`))),
      close: async () => {
        await writing.catch(() => {});
        await file.close();
      },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
