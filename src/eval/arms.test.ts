import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../base/errors.ts";
import type { Policy } from "../core/policy.ts";
import type { Model } from "../core/types.ts";
import { armsNamed } from "./arms.ts";
import type { Casting } from "./cast.ts";
import { all, small } from "./play.fixture.ts";
import { simulatedSpeakers } from "./simulated-listener.ts";
import type { Sample } from "./task.ts";
import { clues } from "./tasks/clues.ts";
import { pictionary } from "./tasks/pictionary.ts";
import { report } from "./tasks/report.ts";

test("never is always among the arms, once", () => {
  assert.deepEqual(
    armsNamed(["after:2", "oracle"]).map(({ name }) => name),
    ["never", "after:2", "oracle"],
  );
  assert.deepEqual(
    armsNamed(["after:2", "never"]).map(({ name }) => name),
    ["after:2", "never"],
  );
});

test("a name that is none, or given twice, is refused at its place", () => {
  assert.throws(() => armsNamed(["bogus"], { place: "--policy" }), /^ConfigError: --policy: there is no "bogus"/);
  assert.throws(() => armsNamed(["never", "never"]), ConfigError);
});

test("the listener's own answer is measured by the candidates where there are some, else by the next token", async () => {
  for (const choices of [0, 8]) {
    const task = report({ choices });
    const samples = task.samples({ split: "dev", size: 8, seed: 1 });
    const results = await all(small({ task, samples, arms: armsNamed(["own:0.6"], { lead: "Answer:" }) }));
    const own = results.filter(({ policy }) => policy === "own:0.6");
    assert.ok(
      own.some(({ cuts }) => cuts.length > 0),
      `${choices} choices`,
    );
    assert.ok(own.every(({ cuts }) => cuts.every(({ wrong }) => wrong !== "early")));
  }
});

for (const task of [clues(), pictionary({ rounds: 2 }), report()])
  test(`${task.name}: the question is told to policies alone, nobody is sent it`, async () => {
    const sent: string[] = [];
    const abouts = new Set<string | undefined>();
    const base = small();
    const heard =
      (who: Casting): Casting =>
      (seat) => {
        const model = who(seat);
        const stream: Model["stream"] = (request) => {
          sent.push(JSON.stringify([seat.role.id, request.messages]));
          return model.stream(request);
        };
        return { ...model, stream };
      };
    const listening: Policy = {
      name: "listening",
      decide: ({ about, chunks }) => {
        abouts.add(about);
        return Promise.resolve({ advantage: chunks > 1 ? 1 : 0 });
      },
    };
    const arms = armsNamed(["ear"], { opened: () => listening });
    const asIs = task.samples({ split: "dev", size: 3, seed: 1 }) as readonly Sample[];
    const asked = async (samples: readonly Sample[]) => {
      sent.length = 0;
      abouts.clear();
      const [speaker, listener] = [simulatedSpeakers(), base.listener as Casting].map(heard);
      await all(small({ task, samples, arms, speaker: speaker!, listener: listener! }));
      return { sent: sent.toSorted(), abouts: [...abouts] };
    };
    const told = await asked(asIs);
    const bare = await asked(
      asIs.map((each) => ({ ...each, answer: { ...each.answer, question: undefined, about: undefined } })),
    );
    assert.deepEqual(told.sent, bare.sent);
    assert.ok(told.sent.length >= 12);
    assert.deepEqual(new Set(told.abouts), new Set(asIs.map(({ answer }) => answer.about ?? answer.question)));
    assert.deepEqual(bare.abouts, [undefined]);
  });

test("The listener itself is asked apart where the answer can be read off, and behind all it heard where it must be worked out", async () => {
  for (const [task, apart] of [
    [report({ choices: 4 }), true],
    [pictionary({ choices: 4 }), false],
    [clues({ choices: 4 }), false],
  ] as const) {
    const asked: string[] = [];
    const { listener } = small();
    const listening: Casting = (seat) => {
      const model = (listener as Casting)(seat);
      const choose: NonNullable<Model["choose"]> = (request, options) => {
        asked.push(request.messages.map(({ content }) => content).join("\n"));
        return model.choose!(request, options);
      };
      return { ...model, choose };
    };
    const samples = task.samples({ split: "dev", size: 2, seed: 1 }) as readonly Sample[];
    const arms = armsNamed(["own:0.9"], { lead: samples[0]?.answer.marker });
    await all(small({ task, samples, arms, speaker: simulatedSpeakers(), listener: listening }));
    assert.ok(asked.length > 2);
    assert.equal(
      asked.every((text) => text.startsWith("Report: ")),
      apart,
      task.name,
    );
    assert.equal(
      asked.some((text) => text.startsWith("Report: ")),
      apart,
      task.name,
    );
  }
});

test("random draws anew in each repeat, and the same again when it is repeated", async () => {
  const evaluation = small({ arms: armsNamed(["random:0.3"]), repeats: 3 });
  const [once, again] = [await all(evaluation), await all(evaluation)];
  assert.deepEqual(once, again);
  const first = once.filter(({ policy }) => policy === "random:0.3");
  const chunks = (repeat: number) =>
    first.filter((result) => result.repeat === repeat).map(({ cuts }) => cuts[0]?.chunk);
  assert.notDeepEqual(chunks(0), chunks(1));
});

test("concise is told to the speaker and to nobody else, and cuts nobody", async () => {
  const told = new Map<string, string>();
  const base = small();
  const speaking = base.speaker as Casting;
  const speaker: Casting = (seat) => {
    const model = speaking(seat);
    const stream: Model["stream"] = (request) => {
      told.set(`${seat.sample.id} ${told.size}`, request.messages[0]?.content ?? "");
      return model.stream(request);
    };
    return { ...model, stream };
  };
  const samples = base.samples.slice(0, 1);
  const results = await all(small({ samples, speaker, arms: armsNamed(["concise"]) }));
  const [plain, brief] = [...told.values()];
  assert.ok(plain !== undefined && brief?.startsWith(plain) === true && /\bbrief\b/.test(brief.slice(plain.length)));
  assert.ok(results.every(({ cuts, decided }) => cuts.length === 0 && decided.wait === 0));
});
