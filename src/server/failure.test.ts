import assert from "node:assert/strict";
import { test } from "node:test";
import { redactor } from "./failure.ts";

test("a secret is starred wherever it stands, also as JSON writes it", () => {
  const redact = redactor(["sk-secret", 'with"quote', ""]);
  assert.equal(redact("a sk-secret and xsk-secretx"), "a *** and x***x");
  assert.equal(redact(JSON.stringify({ key: 'with"quote' })), '{"key":"***"}');
});

test("a short secret is starred as a word of its own, unless it could be a word, a name or a number of any answer", () => {
  const redact = redactor(["a1", "k-9", "id", "12", "1e5", "e"]);
  assert.equal(redact('key a1, "a1" and k-9.'), 'key ***, "***" and ***.');
  const event = '{"type":"chunk","id":"xa1x","at":12,"seq":100000,"e":"1e5"}';
  assert.equal(redact(event), event);
});
