import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ConfigError } from "../base/errors.ts";
import type { Decision, Hearing } from "../core/policy.ts";
import type { Model } from "../core/types.ts";
import { none } from "../core/usage.ts";
import { calibrated, checkWeights, readWeights, scoreOf, weightsSchema } from "./calibrated.ts";
import { concise } from "./fixed.ts";
import { needsOf, policiesNamed, policyForms, policyNamed } from "./named.ts";
import type { Need } from "./named.ts";

const weights = {
  schema: weightsSchema,
  features: ["chunks", "tokens"],
  mean: [2, 30],
  scale: [1, 10],
  weights: [1, 0.5],
  bias: -1,
  threshold: 0.5,
  provenance: { task: "report", samples: 100 },
};
const text = JSON.stringify(weights);
const named = { weights: () => text, opened: ({ name, file }: Need) => ({ name: `${name} of ${file}` }) };
const decide = (spec: string, hearing: Partial<Hearing>) =>
  policyNamed(spec, named).decide?.(hearing as Hearing, new AbortController().signal);

test("every form that is shown can be written, alone and joined", () => {
  for (const form of policyForms) assert.ok(policyNamed(form, named).name.length > 0, form);
  const joined = policyNamed(policyForms.join("+"), named);
  assert.equal(joined.speakerNote, concise.speakerNote);
});

test("patterns may hold any sign", () => {
  const spec = String.raw`pattern:/a\/b+,c/i`;
  assert.deepEqual(decide(`${spec}+never`, { text: "A/bb,c" }), { advantage: 1 });
  const names = policiesNamed(`never,${spec},after:2+${spec}`, named).map(({ name }) => name);
  assert.deepEqual(names, ["never", spec, `after:2+${spec}`]);
});

test("what decides at every look may be asked later and less often", () => {
  const at = (spec: string, chunks: number) =>
    (decide(spec, { task: "t", turn: 0, speaker: "s", listener: "l", text: "AB", chunks }) as Decision).advantage;
  assert.deepEqual(
    [1, 2].map((chunks) => at("random:1:from=2", chunks)),
    [0, 1],
  );
  assert.deepEqual(
    [2, 3].map((chunks) => at("pattern:/b/i:from=3", chunks)),
    [0, 1],
  );
  assert.equal(at("pattern:/B/:every=1:from=2", 2), 1);
  assert.equal(at("pattern:/A:from=2/", 5), -1);
});

test("what is wrong in a name is one line that says where", () => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ["sometimes", /^--policy: there is no "sometimes"; there are never, concise, random:0\.2, after:3,/],
    ["toString", /there is no "toString"/],
    ["", /there is no ""/],
    ["never+", /there is no ""/],
    ["after", /lacks its value; write after:3/],
    ["after:0", /^--policy after:0: 0 is not a whole number of at least 1$/],
    ["after:x", /^--policy after:x: "x" is not a number/],
    ["after:3:stable=2", /^--policy after:3:stable=2: there is no option "stable"; after takes none/],
    ["random:1.5", /^--policy random:1\.5: 1\.5 is no probability/],
    ["random:0.2:stable=2", /^--policy random:0\.2:stable=2: there is no option "stable"; there are every, from/],
    ["random:0.2:from=0", /^--policy random:0\.2:from=0: from: 0 is not a whole number of at least 1/],
    ["random:from=2", /^--policy random:from=2: lacks its value; write random:0\.2/],
    ["never:1", /^--policy never:1: never takes no value/],
    ["concise:from=2", /there is no option "from"; concise takes none/],
    ["pattern:/x/:stable=2", /there is no option "stable"; there are every, from/],
    ["pattern:x", /write pattern:/],
    ["pattern:/(/", /is no pattern: /],
    ["calibrated:", /write calibrated:FILE/],
    ["own:2", /2 is no threshold for a probability; give one from 0 to below 1/],
    ["own:1", /1 is no threshold/],
    ["own:0.5:sure=2", /there is no option "sure"; there are stable, measure, ask, every, from/],
    ["own:0.5:stable=2:stable=3", /"stable" is there twice/],
    ["own:0.5:stable=", /stable lacks its value/],
    ["own:0.5:stable=0.5", /^--policy own:0\.5:stable=0\.5: stable: 0\.5 is not a whole number/],
    ["own:0.5:stable=x", /^--policy own:0\.5:stable=x: stable: "x" is not a number/],
    ["own:0.5:ask=nicely", /ask must be apart or within/],
    ["own:0.5:measure=mood", /measure must be one of probability, margin, top1, entropy, mass/],
    ["prompted:every=0", /^--policy prompted:every=0: every: 0 is not a whole number/],
    ["prompted:from=-1", /^--policy prompted:from=-1: from: -1 is not a whole number of at least 1/],
    ["never+after:0", /^--policy after:0: 0 is/],
    ["calibrated:a.json:threshold=2", /threshold: 2 is not a probability/],
    ["calibrated", /no weights for this listener come with Duplex; fit some with duplex learn/],
  ];
  for (const [spec, message] of wrong)
    assert.throws(() => policyNamed(spec, { ...named, place: "--policy" }), { name: "ConfigError", message });
  assert.throws(() => policyNamed("calibrated:a.json"), /weights must be given/);
  assert.throws(() => policiesNamed("never,never"), /"never" is there twice/);
});

test("a policy that must be opened first is named by what it needs, and refused where it was not opened", () => {
  const spec = "ear:a.json:threshold=1.5:every=2+own:0.5";
  assert.deepEqual(needsOf([spec, "calibrated+never", "ear", "finetuned:b.gguf", spec]), [
    { name: "ear", file: "a.json", threshold: 1.5 },
    { name: "calibrated", file: undefined, threshold: undefined },
    { name: "ear", file: undefined, threshold: undefined },
    { name: "finetuned", file: "b.gguf", threshold: undefined },
  ]);
  assert.deepEqual(needsOf(["never", "pattern:/ear:x/", "nothing"]), []);
  const seen: Need[] = [];
  const opened = (need: Need) => {
    seen.push(need);
    return { name: "opened", decide: () => ({ advantage: 1 }) };
  };
  const policy = policyNamed("ear:a.json:threshold=1.5:from=2", { opened });
  assert.deepEqual(seen, [{ name: "ear", file: "a.json", threshold: 1.5 }]);
  const at = (chunks: number) => policy.decide?.({ chunks } as Hearing, new AbortController().signal);
  assert.deepEqual([at(1), at(2)], [{ advantage: 0 }, { advantage: 1 }]);
  assert.throws(() => policyNamed("ear:a.json"), /"ear:a\.json" was not opened/);
});

test("own asks apart, within, of a stable answer, or by another measure, as its options say", async () => {
  const asked: string[] = [];
  const choose: Model["choose"] = async ({ messages }, options) => {
    asked.push(messages.map(({ content }) => content).join("|"));
    const probabilities = options.map((_, index) => (index === 0 ? 0.9 : 0.1 / (options.length - 1)));
    return { probabilities, usage: none };
  };
  const model: Model = { id: "sure", stream: async function* () {}, choose };
  const heard = {
    task: "Which door?",
    text: "It is green.",
    chunks: 1,
    tokens: 4,
    messages: () => [{ role: "user", content: "Which door?\n\nspeaker: It is green." }],
    model,
    session: "s",
    listener: "l",
    speaker: "s",
    turn: 0,
  } as unknown as Hearing;
  const candidates = ["green", "red"];
  const ask = async (spec: string, about?: string) =>
    policyNamed(spec, { answer: { candidates, about } }).decide?.(heard, new AbortController().signal);
  assert.ok(((await ask("own:0.5", "What color?")) as Decision).advantage > 0);
  assert.match(asked.at(-1) ?? "", /Question: What color\?/);
  await ask("own:0.5:ask=within", "What color?");
  assert.match(asked.at(-1) ?? "", /^Which door\?.*Your answer so far/s);
  await ask("own:0.5");
  assert.match(asked.at(-1) ?? "", /^Which door\?.*Your answer so far/s);
  await ask("own:0.5:ask=apart");
  assert.match(asked.at(-1) ?? "", /Question: Which door\?/);
  assert.equal(((await ask("own:0.5:stable=2")) as Decision).advantage, 0);
  assert.ok(((await ask("own:0.5:measure=entropy")) as Decision).advantage > 0);
  assert.ok(((await ask("own:0.95")) as Decision).advantage < 0);
});

test("no text makes names fail in another way than by a ConfigError", () => {
  const words = fc.constantFrom(
    "never",
    "after:",
    "pattern:/",
    "own:",
    "ear:",
    ":every=",
    "+",
    ",",
    "/",
    "0.5",
    "\\",
    "x",
  );
  fc.assert(
    fc.property(
      fc.array(words).map((parts) => parts.join("")),
      (spec) => {
        try {
          policyNamed(spec);
        } catch (error) {
          assert.ok(error instanceof ConfigError, String(error));
        }
      },
    ),
  );
});

test("fitted weights are the logistic of the standardized features", async () => {
  const policy = calibrated(readWeights(text));
  const heard = { chunks: 4, tokens: 50 } as Hearing;
  const { advantage, probability } = (await policy.decide?.(heard, new AbortController().signal)) ?? {};
  assert.equal(scoreOf(readWeights(text), [4, 50]), -1 + 2 + 1);
  assert.equal(advantage, 2);
  assert.ok(Math.abs((probability ?? 0) - 1 / (1 + Math.exp(-2))) < 1e-12);
});

test("weights of another version or with other features are refused by name", () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ schema: "duplex.calibrated/2" }, /weights\.schema: is "duplex\.calibrated\/2", and this version reads/],
    [{ schema: undefined }, /weights\.schema: is missing/],
    [{ features: ["chunks", "mood"] }, /weights\.features: this version knows no "mood"; it knows logOdds,/],
    [{ features: ["chunks", "chunks"] }, /"chunks" is there twice/],
    [{ features: [] }, /weights\.features: must be a list of names/],
    [{ mean: [1] }, /weights\.mean: has 1 numbers for 2 features/],
    [{ scale: [1, 0] }, /weights\.scale: must be above 0/],
    [{ weights: [1, "2"] }, /weights\.weights: must be a list of numbers/],
    [{ bias: null }, /weights\.bias: must be a number/],
    [{ threshold: 1 }, /weights\.threshold: 1 is not a probability/],
    [{ provenance: undefined }, /weights\.provenance: must be an object/],
  ];
  for (const [change, message] of wrong)
    assert.throws(() => checkWeights({ ...weights, ...change }), { name: "ConfigError", message });
  assert.throws(() => readWeights("{"), /weights: is not JSON/);
  assert.throws(() => readWeights("[]"), /weights: is not a JSON object/);
});
