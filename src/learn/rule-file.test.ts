import assert from "node:assert/strict";
import { test } from "node:test";
import { checkEar, earSchema } from "./ear-file.ts";
import { checkTuned, tunedSchema } from "./tune/tuned-file.ts";

const common = { question: "Enough?", words: ["Yes", "No"], threshold: 0.5, provenance: {} };
const ear = {
  ...common,
  schema: earSchema,
  gguf: "ear.gguf",
  bytes: 1,
  base: "small",
  layers: 2,
  of: 4,
  bias: 0,
  next: [],
};
const tuned = {
  ...common,
  schema: tunedSchema,
  model: { kind: "api", name: "small", baseURL: "http://host" },
  lead: "",
};

const forms = [
  ["ear", (rule: object) => checkEar({ ...ear, ...rule }, "a.json")],
  ["tuned listener", (rule: object) => checkTuned({ ...tuned, ...rule }, "a.json")],
] as const;

for (const [what, check] of forms)
  test(`one look in a row is read as the mean of one, and more in a row are refused: ${what}`, () => {
    const today = check({ over: 1 });
    assert.equal(today.over, 1);
    assert.deepEqual(check({ inRow: 1 }), today);
    for (const inRow of [2, 3, 0, "1", null])
      assert.throws(() => check({ inRow }), /^ConfigError: a\.json: was made for looks in a row; make it again$/);
    assert.throws(() => check({}), new RegExp(`^ConfigError: a\\.json over: is no ${what}: `));
    for (const none of [null, 1, "inRow", []])
      assert.throws(() => (what === "ear" ? checkEar : checkTuned)(none, "a.json"), /ConfigError: a\.json: is no /);
  });
