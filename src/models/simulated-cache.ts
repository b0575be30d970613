import type { Message } from "../core/types.ts";

/** The nominal length of a token, in UTF-16 code units. */
export const tokenLength = 4;

// Past this many characters a cache forgets everything, so that a server may run for weeks.
const capacity = 2 ** 26;

type Level = { [Role in Message["role"]]?: Map<string, Level> };

/** Prompt tokens of a request: for each message its length over four, rounded up. */
export function inputTokens(messages: readonly Message[]): number {
  let sum = 0;
  for (const { content } of messages) sum += Math.ceil(content.length / tokenLength);
  return sum;
}

function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

/** The requests seen so far, as a tree of messages, so that finding the longest known prefix costs what reading does. */
export class PrefixCache {
  #root: Level = {};
  #held = 0;

  /** Tokens of the longest prefix that an earlier request shares; the request is remembered. */
  read(messages: readonly Message[]): number {
    if (this.#held > capacity) {
      this.#root = {};
      this.#held = 0;
    }
    let level = this.#root;
    let tokens = 0;
    let known = true;
    for (const { role, content } of messages) {
      const branches = (level[role] ??= new Map<string, Level>());
      let next = branches.get(content);
      if (next !== undefined) {
        tokens += Math.ceil(content.length / tokenLength);
      } else {
        if (known) tokens += partOf(branches, content);
        known = false;
        next = {};
        branches.set(content, next);
        this.#held += content.length;
      }
      level = next;
    }
    return tokens;
  }
}

function partOf(branches: ReadonlyMap<string, Level>, content: string): number {
  let longest = 0;
  for (const other of branches.keys()) longest = Math.max(longest, commonLength(other, content));
  return Math.floor(longest / tokenLength);
}
