// An evaluation's log of single conversations, as `duplex eval --out` keeps it, summed up for each policy.

import { compare } from "../eval/comparison.ts";
import type { Result } from "../eval/result.ts";
import type { ResultLine } from "./data.ts";

type Fields = Readonly<Record<string, unknown>>;

function parsed(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a file that begins so is such a log. */
export const looksLikeJournal = (head: string): boolean =>
  parsed(head.slice(0, Math.max(0, head.indexOf("\n"))))?.["type"] === "duplex-eval";

/** A line of results for each policy of the log, and how many of its lines were none; a last line that was torn is one. */
export function journalResults(text: string): { readonly results: readonly ResultLine[]; readonly odd: number } {
  const [first = "", ...rest] = text.split("\n").filter((line) => line.trim() !== "");
  const identity = parsed(first)?.["identity"] as Fields | undefined;
  const read = rest.map(parsed).filter((value) => value !== undefined && isResult(value));
  const task = typeof identity?.["task"] === "string" ? identity["task"] : "";
  const seed = typeof identity?.["seed"] === "number" ? identity["seed"] : undefined;
  const results = compare(read as unknown as readonly Result[], { task, seed });
  return { results, odd: rest.length - read.length };
}

const isResult = ({ sample, policy, repeat, usage, cost, cuts, failure }: Fields): boolean =>
  typeof sample === "string" &&
  typeof policy === "string" &&
  typeof repeat === "number" &&
  (failure !== undefined || (typeof usage === "object" && typeof cost === "object" && Array.isArray(cuts)));
