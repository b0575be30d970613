import assert from "node:assert/strict";
import test from "node:test";
import { checkAgreement } from "./agreement.ts";

test("A file that says what was fitted, but for rounding, is used; one that is shifted, says something else or nothing is not", () => {
  const as = (differs: object) => () =>
    checkAgreement({ points: 12, largest: 0.9, mean: 0.36, shift: 0.1, spread: 3.5, ...differs }, "ear.json");
  as({})();
  assert.throws(as({ shift: -1.2, mean: 1, largest: 1.4 }), /ear\.json.*1\.00 in the mean \(-1\.20 with their signs\)/);
  assert.throws(as({ mean: 2.4, largest: 3.4 }), /standard deviation of 3\.50; do not use it/);
  assert.throws(as({ largest: 3.6 }), /3\.60 at most/);
  assert.throws(as({ points: 0, mean: Number.NaN, shift: Number.NaN }), /told nothing/);
  // Weak heads have small log-odds, and must be as exact.
  assert.throws(as({ spread: 1 }), /do not use it/);
});
