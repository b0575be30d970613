import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { clip, pad, printable, width } from "./printable.ts";

test("escape sequences, controls and direction marks are shown instead of obeyed", () => {
  assert.equal(printable("\u001b[31mred\u001b[0m"), "\\x1b[31mred\\x1b[0m");
  assert.equal(printable("a\u0000b\u0007c\u007fd\u009b2Je"), "a\\x00b\\x07c\\x7fd\\x9b2Je");
  assert.equal(
    printable("pay \u202e100\u202c \u2066x\u2069\u200f\u061c"),
    "pay \\u{202e}100\\u{202c} \\u{2066}x\\u{2069}\\u{200f}\\u{61c}",
  );
  assert.equal(printable("\ufeffa\u2028b\u2029c\u{e0041}\ud800"), "\\u{feff}a\\u{2028}b\\u{2029}c\\u{e0041}\\u{d800}");
});

test("words in any script and joined emoji stay as they are", () => {
  for (const text of ["Größe", "日本語", "مرحبا", "नमस्ते", "👩‍👩‍👧", "می‌خواهم", "x²≤½"]) assert.equal(printable(text), text);
});

test("newlines and tabs stay where lines are asked for, and only there", () => {
  assert.equal(printable("a\r\nb\tc\rd\n", { keep: "lines" }), "a\nb\tc\\x0dd\n");
  assert.equal(printable("a\nb\t"), "a\\x0ab\\x09");
});

test("nothing that comes out can control a terminal, and printing twice changes nothing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const shown = printable(text);
      // oxlint would rather not see controls in a pattern, so they are looked for by number.
      for (const character of shown) {
        const code = character.codePointAt(0)!;
        assert.ok(code >= 0x20 && !(code >= 0x7f && code <= 0x9f));
      }
      assert.equal(printable(shown), shown);
      assert.ok(printable(text, { keep: "lines" }).split("\n").length >= 1);
    }),
  );
});

test("width counts columns: wide characters two, marks none", () => {
  assert.deepEqual(["abc", "日本", "e\u0301", "😀", ""].map(width), [3, 4, 1, 2, 0]);
});

test("clipped and padded text fits its columns exactly", () => {
  assert.equal(clip("reviewer", 5), "revi…");
  assert.equal(clip("日本語です", 6), "日本…");
  assert.equal(clip("abc", 3), "abc");
  assert.equal(clip("abc", 0), "");
  assert.equal(clip("abcdef", 5, "..."), "ab...");
  assert.equal(pad("日本", 6), "日本  ");
  assert.equal(pad("7", 3, "start"), "  7");
});
