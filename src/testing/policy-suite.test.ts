import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decision, Policy } from "../core/policy.ts";
import { policyCases } from "./policy-suite.ts";
import type { PolicySubject } from "./policy-suite.ts";

/** The rules a policy breaks. */
async function broken(make: PolicySubject["make"]): Promise<readonly string[]> {
  const titles: string[] = [];
  for (const [title, check] of Object.entries(policyCases)) {
    const broke = await check({ make }).then(
      () => false,
      () => true,
    );
    if (broke) titles.push(title);
  }
  return titles;
}

const asking =
  (read: (text: string, decision: Decision) => Decision): NonNullable<Policy["decide"]> =>
  async (hearing, signal) => {
    const messages = [...hearing.messages()];
    if (signal.aborted) return { advantage: 0 };
    let text = "";
    for await (const part of hearing.model.stream({ messages, session: hearing.session, signal })) {
      if (part.type === "text") text += part.text;
      if (part.type === "end") return read(text, { advantage: text === "Yes" ? 1 : -1, usage: part.usage });
    }
    return { advantage: 0 };
  };

const honest: Policy = { name: "honest", decide: asking((_, decision) => decision) };

test("a policy that keeps the rules passes", async () => {
  assert.deepEqual(await broken(() => honest), []);
});

test("an advantage that is no number is found", async () => {
  const policy: Policy = { name: "log of nothing", decide: () => ({ advantage: Math.log(0) }) };
  assert.deepEqual((await broken(() => policy)).slice(0, 2), [
    "each decision has a finite advantage",
    "it decides on whatever was heard",
  ]);
});

test("cost that is kept quiet is found", async () => {
  const policy: Policy = { name: "thrifty", decide: asking((_, { advantage }) => ({ advantage })) };
  assert.ok((await broken(() => policy)).includes("its usage adds up to what the models charged"));
});

test("a policy deaf to its signal is found", async () => {
  const policy: Policy = {
    name: "deaf",
    decide: (hearing) => asking((_, decision) => decision)(hearing, new AbortController().signal),
  };
  const titles = await broken(() => policy);
  assert.ok(titles.includes("called off, it is soon over, says what it cost, and leaves no listener"));
  assert.ok(titles.includes("called off before it begins, it asks nobody"));
});

test("state shared by conversations is found", async () => {
  const make = (): Policy => {
    let asked = 0;
    return { name: "counting", decide: () => ({ advantage: ++asked - 4 }) };
  };
  assert.deepEqual(await broken(make), ["two conversations do not know of each other"]);
});

test("state shared by policies is found", async () => {
  let asked = 0;
  const policy: Policy = { name: "counting", decide: () => ({ advantage: ++asked }) };
  assert.ok((await broken(() => policy)).includes("made anew, it decides the same"));
});

test("a failure that is swallowed is found", async () => {
  const policy: Policy = {
    name: "polite",
    decide: async (hearing, signal) => {
      try {
        return await honest.decide!(hearing, signal);
      } catch {
        return { advantage: 0 };
      }
    },
  };
  assert.deepEqual(await broken(() => policy), ["a model's failure is its failure"]);
});

test("a prompt that tears what was heard apart is found", async () => {
  const policy: Policy = {
    name: "rewriting",
    decide: (hearing, signal) => {
      const messages = () => [{ role: "user" as const, content: `Enough? ${hearing.text}` }];
      return honest.decide!({ ...hearing, messages }, signal);
    },
  };
  assert.deepEqual(await broken(() => policy), [
    "what it asks in the listener's session extends what the listener would be sent",
  ]);
});
