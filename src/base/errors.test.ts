import assert from "node:assert/strict";
import { test } from "node:test";
import { explain } from "./errors.ts";

const caused = (message: string, cause: unknown) => new Error(message, { cause });

test("an error is explained in one line, and nothing is said twice", () => {
  const inner = caused("the line is not JSON", new Error("Unexpected end"));
  assert.equal(explain(inner), "the line is not JSON (Unexpected end)");
  assert.equal(explain(caused("the line is not JSON", inner)), "the line is not JSON (Unexpected end)");
  assert.equal(explain(caused("no answer: refused", new Error("refused"))), "no answer: refused");
  assert.equal(explain(caused("two\n  lines", "text")), "two lines (text)");
});
