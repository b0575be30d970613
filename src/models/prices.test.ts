import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../base/errors.ts";
import { parsePrice, priceOf } from "./prices.ts";

test("a known model has its list price, by its name or by where it is served", () => {
  const price = { currency: "USD", input: 2.5, cached: 1.25, output: 10 };
  assert.deepEqual(priceOf("gpt-4o"), price);
  assert.deepEqual(priceOf("openai:gpt-4o@https://api.openai.com/v1"), price);
  assert.deepEqual(priceOf("gpt-4o", "openai"), price);
});

test("a model without a cache price takes the input price for what it reads from a cache", () => {
  const price = priceOf("llama-3.1-8b-instant", "groq");
  assert.ok(price !== undefined && price.input > 0);
  assert.equal(price.cached, price.input);
});

test("a price by the length of the prompt counts as for a short one", () => {
  const price = priceOf("gemini-2.5-pro", "google", new Date("2026-01-01"));
  assert.deepEqual(price, { currency: "USD", input: 1.25, cached: 0.125, output: 10 });
});

test("what runs here, is simulated or is unknown has no price", () => {
  for (const id of [
    "simulated",
    "simulated:ttft=200",
    "llama:smollm2-135m",
    "llama:./gpt-4o.gguf",
    "",
    "no-such-model",
  ])
    assert.equal(priceOf(id), undefined, id);
  assert.equal(priceOf("openai:gpt-4o@http://127.0.0.1:8080/v1"), undefined);
  assert.equal(priceOf("gpt-4o", "no-such-provider"), undefined);
});

test("a price of one's own is read", () => {
  assert.deepEqual(parsePrice("input=5,cached=0.5,output=25,currency=EUR"), {
    currency: "EUR",
    input: 5,
    cached: 0.5,
    output: 25,
  });
  assert.deepEqual(parsePrice(" output=.5, input=0 "), { currency: "USD", input: 0, cached: 0, output: 0.5 });
});

test("a price that cannot be read is refused with what is wrong and how to write it", () => {
  const message = (text: string): string => {
    try {
      parsePrice(text);
    } catch (error) {
      assert.ok(error instanceof ConfigError && error.path === "--price");
      return error.message;
    }
    return "accepted";
  };
  assert.match(message(""), /there is no "" in a price; write it as input=2\.5,output=10/);
  assert.match(message("input=5"), /"output" is missing/);
  assert.match(message("input=-5,output=1"), /input: expected an amount per million tokens from 0, got "-5"/);
  assert.match(message("input=1,output=NaN"), /output: expected .*, got "NaN"/);
  assert.match(message("input=1,input=2,output=1"), /"input" is there twice/);
  assert.match(message("input=1,output=1,currency=usd"), /currency: expected three capitals/);
  assert.match(message("intput=1,output=1"), /there is no "intput"/);
});
