import { readFileSync } from "node:fs";
import { ConfigError } from "../base/errors.ts";
import { reasonOf } from "./reason.ts";

/** The text of a file of weights that `--policy` names. Throws a ConfigError that says why it cannot be read. */
export function readWeights(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`--policy ${file}`, `cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
