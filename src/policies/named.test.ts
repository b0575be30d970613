import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ConfigError } from "../base/errors.ts";
import type { Hearing } from "../core/policy.ts";
import { calibrated, checkWeights, readWeights, scoreOf, weightsSchema } from "./calibrated.ts";
import { concise } from "./fixed.ts";
import { policiesNamed, policyForms, policyNamed } from "./named.ts";

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
const named = { weights: () => text };
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

test("what is wrong in a name is one line that says where", () => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ["sometimes", /^--policy: there is no "sometimes"; there are never, concise, random:0\.2, after:3,/],
    ["toString", /there is no "toString"/],
    ["", /there is no ""/],
    ["never+", /there is no ""/],
    ["after", /lacks its value; write after:3/],
    ["after:0", /--policy "after:0": n: 0 is not a whole number/],
    ["after:x", /"x" is not a number/],
    ["random:1.5", /1\.5 is no probability/],
    ["never:1", /"never" takes no value/],
    ["pattern:x", /write pattern:/],
    ["pattern:/(/", /is no pattern: /],
    ["calibrated:", /write calibrated:FILE/],
  ];
  for (const [spec, message] of wrong)
    assert.throws(() => policyNamed(spec, { ...named, place: "--policy" }), { name: "ConfigError", message });
  assert.throws(() => policyNamed("calibrated:a.json"), /weights must be given/);
  assert.throws(() => policiesNamed("never,never"), /"never" is there twice/);
});

test("no text makes names fail in another way than by a ConfigError", () => {
  const words = fc.constantFrom("never", "after:", "pattern:/", "own:", "+", ",", "/", "0.5", "\\", "x");
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
