import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Message, Model, ModelRequest, Usage } from "../core/types.ts";
import { inputTokens } from "./simulated-cache.ts";
import type { SimulatedOptions } from "./simulated-settings.ts";
import { simulated } from "./simulated.ts";

const user = (content: string): Message => ({ role: "user", content });
const instant = { ttft: 0, prefill: Infinity, cacheRead: Infinity, decode: Infinity } as const;

const cachedOf = async (model: Model, request: ModelRequest): Promise<number> => {
  let usage: Usage | undefined;
  for await (const part of model.stream({ ...request, maxTokens: 1 })) if (part.type === "end") usage = part.usage;
  return usage?.cachedTokens ?? -1;
};

test("cached tokens are those of the longest prefix shared with any earlier request", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.array(fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 9 }))), async (all) => {
      const model = simulated(instant);
      const seen: string[][] = [];
      for (const contents of all) {
        const shared = seen.map((other) => {
          const same = contents.findIndex((content, i) => other[i] !== content);
          const whole = contents.slice(0, same < 0 ? contents.length : same);
          const [mine = "", theirs = ""] = same < 0 ? [] : [contents[same], other[same]];
          const common = mine.split("").findIndex((char, i) => theirs[i] !== char);
          return inputTokens(whole.map(user)) + Math.floor((common < 0 ? mine.length : common) / 4);
        });
        assert.equal(await cachedOf(model, { messages: contents.map(user) }), Math.max(0, ...shared));
        seen.push(contents);
      }
    }),
    { numRuns: 50 },
  ));

test("a cache may be per session, off, or need a minimum", async () => {
  const messages = [user("x".repeat(400))];
  const twice = async (options: SimulatedOptions, sessions: readonly string[]) => {
    const model = simulated({ ...instant, ...options });
    const cached: number[] = [];
    for (const session of sessions) cached.push(await cachedOf(model, { messages, session }));
    return cached;
  };
  assert.deepEqual(await twice({}, ["a", "b"]), [0, 100]);
  assert.deepEqual(await twice({ cache: "session" }, ["a", "b", "a"]), [0, 0, 100]);
  assert.deepEqual(await twice({ cache: "off" }, ["a", "a"]), [0, 0]);
  assert.deepEqual(await twice({ minCache: 101 }, ["a", "a"]), [0, 0]);
  assert.deepEqual(await twice({ minCache: 100 }, ["a", "a"]), [0, 100]);
});
