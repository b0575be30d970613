import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { accepts, acceptsWithin, coreOf, mentions, sameAnswer, words } from "./match.ts";

const same: readonly (readonly [string, string])[] = [
  ["Dog", "dog"],
  ["the dog", "a dog"],
  ["dogs", "dog"],
  ["Cherries", "cherry"],
  ["boxes", "box"],
  ["knives", "knife"],
  ["wolves", "wolf"],
  ["tomatoes", "tomato"],
  ["mice", "mouse"],
  ["teeth", "tooth"],
  ["crème brûlée", "creme brulee"],
  ["Göteborg", "Goteborg"],
  ["Straße", "strasse"],
  ["ice-cream", "ice cream"],
  ["icecream", "ice cream"],
  ["tooth brush", "toothbrush"],
  ["seven", "7"],
  ["1,250 euros", "1250 euros"],
  ["34%", "34 percent"],
  ["salt & pepper", "salt and pepper"],
  ["St. Louis", "st louis"],
  ["Gulliver’s Travels", "Gulliver's Travels"],
  ["“umbrella”!", "umbrella"],
  ["−5 degrees", "minus 5 degrees"],
  ["A", "a"],
];

const different: readonly (readonly [string, string])[] = [
  ["art", "party"],
  ["ant", "elephant"],
  ["car", "care"],
  ["plan", "plane"],
  ["cap", "cape"],
  ["pin", "pine"],
  ["rat", "rats and mice"],
  ["dog", "hot dog"],
  ["cat, dog or horse", "dog"],
  ["1.5", "15"],
  ["-5", "5"],
  ["−2 and −3", "2 and 3"],
  ["9:30", "930"],
  ["12", "1"],
  ["35 euros", "35 grams"],
  ["no one", "one"],
  ["bus", "bu"],
  ["moth", "mother"],
  ["", "dog"],
  ["?", "!"],
  ["the", ""],
  ["New York", "York"],
  ["1,25", "125"],
];

test("answers are the same up to case, articles, punctuation, accents, spacing and plural", () => {
  for (const [one, other] of same) {
    assert.ok(sameAnswer(one, other), `${one} = ${other}`);
    assert.ok(sameAnswer(other, one), `${other} = ${one}`);
  }
});

test("answers that only look alike are different", () => {
  for (const [one, other] of different) {
    assert.ok(!sameAnswer(one, other), `${one} ≠ ${other}`);
    assert.ok(!sameAnswer(other, one), `${other} ≠ ${one}`);
  }
});

test("an introduction and a reason do not spoil an answer, a list of guesses does", () => {
  const right = ["umbrella", "parasol"];
  for (const text of [
    "It's an umbrella.",
    "I think it is an umbrella!",
    "umbrella (the thing for rain)",
    "Umbrella, because it keeps one dry",
    "My guess is umbrella",
    "Is it a parasol?",
    "Maybe an umbrella",
    "umbrella. It opens in the rain.",
    "umbrella - it opens",
    "The word is umbrellas",
    "The thing that opens in the rain is an umbrella.",
    "What they carry are umbrellas",
  ]) {
    assert.ok(accepts(right, text), text);
  }
  for (const text of [
    "umbrella or coat",
    "coat, umbrella",
    "not an umbrella",
    "This is not an umbrella",
    "An umbrella is what it is not",
    "It is an umbrella or a coat",
    "an umbrella stand",
    "coat. umbrella",
    "beach umbrella shop",
    "it",
    "",
  ]) {
    assert.ok(!accepts(right, text), text);
  }
  assert.equal(coreOf("I think it is a dog, because it barks"), "a dog");
});

test("a preposition does not spoil a value, and belongs to an answer that has one", () => {
  for (const [right, text, is] of [
    ["19:50", "until 19:50", true],
    ["Friday", "On Friday.", true],
    ["20 June", "It is on 20 June", true],
    ["Lima", "in Lima", true],
    ["in the hall", "in the hall", true],
    ["until 19:50", "from 19:50", false],
    ["19:50", "not until 19:50", false],
    ["19:50", "until 18:50", false],
  ] as const)
    assert.equal(accepts([right], text), is, text);
});

test("around an answer there may be words that are its own, and nothing else", () => {
  const own = ["How much is the monthly rent of the studio?", "{} a month is the rent, one hears."];
  for (const [text, is] of [
    ["880 euros a month", true],
    ["I think it is 880 euros a month.", true],
    ["The monthly rent of the studio is 880 euros", true],
    ["880 euros is the rent: 880 a month", false],
    ["880 euros is the rent; 880 euros a month", true],
    ["880 euros", true],
    ["not 880 euros a month", false],
    ["880 or 890 euros a month", false],
    ["880 euros or a month", false],
    ["880 euros a year", false],
    ["880 dollars a month", false],
    ["1 880 euros a month", false],
    ["one month, 880 euros", false],
    ["880 a month in euros", false],
    ["a month", false],
    ["", false],
  ] as const)
    assert.equal(acceptsWithin(["880 euros"], text, own), is, text);
});

test("a mention is a row of whole words", () => {
  assert.ok(mentions("We saw the hot dogs.", "hot dog"));
  assert.ok(mentions("At 9:30, not later", "9:30"));
  assert.ok(mentions("It costs 1,250 euros a month.", "1250 euros"));
  assert.ok(!mentions("a party", "art"));
  assert.ok(!mentions("the dog is hot", "hot dog"));
  assert.ok(!mentions("room 1205", "120"));
  assert.ok(!mentions("anything", ""));
});

test("every text equals itself, and being the same is symmetric", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (one, other) => {
      if (words(one).length > 0) assert.ok(sameAnswer(one, one));
      assert.equal(sameAnswer(one, other), sameAnswer(other, one));
    }),
  );
});
