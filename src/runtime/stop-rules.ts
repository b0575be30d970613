// When a dialogue is over, for those who need no rule of their own: somebody has answered, or all have answered alike.

import { ConfigError } from "../base/errors.ts";
import type { StopRule } from "./talk.ts";

/** What counts as the answer of a dialogue. */
export type AnswerRule = {
  /** What the line begins with that answers: `Answer:`. Case, and signs such as `**` before it, do not matter. */
  readonly marker: string;
  /** Whose answer counts: a listener's, a moderator's; anybody's by default. */
  readonly by?: string | undefined;
};

const signs = /^[\s*_>#-]+|[\s*_]+$/g;

/** The rest of the last line that begins with the marker; undefined where there is none or nothing follows. */
function answerIn(text: string, marker: string): string | undefined {
  const lines = text.split("\n").map((line) => line.replaceAll(signs, ""));
  const found = lines.findLast((line) => line.toLowerCase().startsWith(marker));
  const rest = found?.slice(marker.length).replace(/^[\s*_:]+/, "");
  return rest === undefined || rest === "" ? undefined : rest;
}

function markerOf(marker: string): string {
  const wanted = marker.trim().toLowerCase();
  if (wanted === "")
    throw new ConfigError("marker", 'is empty; give the words that an answer begins with, as "Answer:"');
  return wanted;
}

/** Over with an answer: a listener's final answer, a moderator's verdict. What was cut is read as far as it was heard. */
export function answered({ marker, by }: AnswerRule): StopRule {
  const wanted = markerOf(marker);
  return (said) => {
    const last = said.at(-1);
    if (last === undefined || (by !== undefined && last.agent !== by)) return false;
    const answer = answerIn(last.text, wanted);
    return answer === undefined ? false : { answer };
  };
}

const alike = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Over when the latest answers of so many agents (2) are the same up to case and punctuation. */
export function agreed({ marker, agents = 2 }: { readonly marker: string; readonly agents?: number }): StopRule {
  const wanted = markerOf(marker);
  if (!Number.isSafeInteger(agents) || agents < 2)
    throw new ConfigError("agents", `${agents} cannot agree; give a whole number of at least 2`);
  return (said) => {
    const latest = new Map<string, string>();
    for (const { agent, text } of said) {
      const answer = answerIn(text, wanted);
      if (answer !== undefined) latest.set(agent, answer);
    }
    const own = latest.get(said.at(-1)?.agent ?? "");
    if (own === undefined) return false;
    const same = [...latest.values()].filter((answer) => alike(answer) === alike(own));
    return same.length >= agents ? { answer: own } : false;
  };
}
