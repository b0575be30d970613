import assert from "node:assert/strict";
import test from "node:test";
import { random } from "../../base/random.ts";
import type { Sample } from "../task.ts";
import { kinds } from "./kinds.ts";
import { ownWords } from "./match.ts";
import { report, type ReportData } from "./report.ts";

const [sample] = report().samples({ split: "dev", size: 40, seed: 2 }) as [Sample<ReportData>];

const make = (kind: string, value: string, needs = 1): Sample<ReportData> => {
  const facts = [
    { kind, value, sentence: "" },
    { kind: "van-color", value: "green", sentence: "" },
  ];
  const also = kinds.find(({ id }) => id === kind)?.also?.(value) ?? [];
  return {
    ...sample,
    answer: { ...sample.answer, right: [value, ...also] },
    data: { facts, needed: needs === 1 ? [0] : [0, 1] },
  };
};

const answers: readonly (readonly [kind: string, value: string, answer: string, success: 0 | 1])[] = [
  ["budget", "1250 euros", "1250 euros", 1],
  ["budget", "1250 euros", "1,250 euros", 1],
  ["budget", "1250 euros", "1250", 1],
  ["budget", "1250 euros", "€1250", 1],
  ["budget", "1250 euros", "EUR 1250", 1],
  ["budget", "1250 euros", "The budget is 1250 euros", 1],
  ["budget", "1250 euros", "The budget is not 1250 euros", 0],
  ["budget", "1250 euros", "1250 euros is the budget", 1],
  ["budget", "1250 euros", "1250 dollars is the budget", 0],
  ["budget", "1250 euros", "the project may cost 1250", 1],
  ["rent", "880 euros", "880 euros a month", 1],
  ["rent", "880 euros", "880 euros a year", 0],
  ["rent", "880 euros", "880 months", 0],
  ["rent", "880 euros", "880 months, 880", 0],
  ["rent", "880 euros", "the monthly rent is 880", 1],
  ["rent", "880 euros", "the studio costs a month 880", 0],
  ["discount", "10 percent", "10 members", 0],
  ["discount", "4 percent", "4% less", 1],
  ["trainees", "45 people", "45 courses", 0],
  ["trainees", "45 people", "45 people for the first aid course", 1],
  ["parcel-weight", "12 kilograms", "12 parcels", 0],
  ["parcel-weight", "12 kilograms", "the parcel weighs 12", 1],
  ["ticket-price", "30 euros", "30 tickets", 0],
  ["airport-distance", "21 kilometers", "21 kilometers to the airport", 1],
  ["airport-distance", "21 kilometers", "21 airports", 0],
  ["bus-line", "94", "Bus 94 goes to the museum", 1],
  ["bus-line", "94", "94 goes to the museum", 1],
  ["bus-line", "94", "94 museums", 0],
  ["platform", "12", "12 trains", 0],
  ["deadline", "23 July", "23 July is the deadline for the proposal", 1],
  ["lunch", "grilled trout", "Grilled trout is served for lunch", 1],
  ["winner", "Greta", "Greta won the chess tournament", 1],
  ["winner", "Greta", "Nobody, Greta", 0],
  ["winner", "Greta", "Nobody beat Greta", 0],
  ["lunch", "vegetable curry", "vegetable curry for lunch", 1],
  ["lunch", "vegetable curry", "vegetable curry or noodle soup for lunch", 0],
  ["lunch", "vegetable curry", "curry for lunch", 0],
  ["flour", "450 grams", "450 g of flour", 1],
  ["flour", "450 grams", "450 kg of flour", 0],
  ["ferry", "9:05", "the ferry sails at 9:05 pm", 0],
  ["library", "19:50", "open until 19:50", 1],
  ["cleaning", "Monday morning", "Monday morning or afternoon", 0],
  ["cleaning", "Monday morning", "Monday or Tuesday morning", 0],
  ["budget", "1250 euros", "12500 euros", 0],
  ["budget", "1250 euros", "1250 dollars", 0],
  ["budget", "1250 euros", "1250 or 1300 euros", 0],
  ["ferry", "9:05", "9:05", 1],
  ["ferry", "9:05", "09:05", 1],
  ["ferry", "9:05", "9:05 a.m.", 1],
  ["ferry", "9:05", "9:05 pm", 0],
  ["ferry", "9:05", "9:50", 0],
  ["ferry", "19:05", "7:05 pm", 1],
  ["ferry", "19:05", "7:05", 0],
  ["deadline", "12 March", "March 12", 1],
  ["deadline", "12 March", "the 12th of March", 1],
  ["deadline", "3 March", "March 3rd", 1],
  ["deadline", "12 March", "12 May", 0],
  ["survey", "34 percent", "34%", 1],
  ["survey", "34 percent", "34", 1],
  ["survey", "34 percent", "43%", 0],
  ["flight", "KL204", "kl 204", 1],
  ["flight", "KL204", "KL240", 0],
  ["key-place", "under the flower pot", "Under the flowerpot.", 1],
  ["key-place", "under the flower pot", "flower pot", 1],
  ["key-place", "under the flower pot", "under the pot", 0],
  ["oven", "180 degrees", "180 °C", 1],
  ["parcel-weight", "12 kilograms", "12kg", 1],
  ["parcel-weight", "12 kilograms", "12 grams", 0],
  ["prize", "a tea set", "tea sets", 1],
  ["doctor", "Ivana", "Ivan", 0],
  ["doctor", "Ivana", "unknown", 0],
  ["doctor", "Ivana", "It's Ivana.", 1],
  ["instrument", "harp", "sharp", 0],
];

test("an answer is right if it gives the value, in any usual form", () => {
  for (const [kind, value, answer, success] of answers) {
    const verdict = report().judge([{ agent: "reader", text: `Answer: ${answer}` }], make(kind, value));
    assert.equal(verdict.success, success, `${kind} ${value}: ${answer}`);
  }
});

test("two values may come in either order, and both must be right", () => {
  const judge = (answer: string) =>
    report().judge([{ agent: "reader", text: `Answer: ${answer}` }], make("budget", "1250 euros", 2)).success;
  for (const answer of [
    "1250 euros; green",
    "green; 1250",
    "1,250 euros and green",
    "1,250 euros, green",
    "1250; Green.",
    "We may spend 1250 euros on the project; the delivery van is green",
  ]) {
    assert.equal(judge(answer), 1, answer);
  }
  for (const answer of [
    "1250 euros",
    "green",
    "1250; red",
    "1300; green",
    "1250; green; red",
    "green; green",
    "1250 green",
    "1250 euros for the van; the project is green",
    "1250 euros is the budget; the van is green or red",
  ]) {
    assert.equal(judge(answer), 0, answer);
  }
});

const success = (kind: string, value: string, answer: string) =>
  report().judge([{ agent: "reader", text: `Answer: ${answer}` }], make(kind, value)).success;

test("of every kind a value may be told in its own words, up to its whole sentence", () => {
  const next = random(9);
  for (const { id, value: drawn, wordings } of kinds) {
    const value = drawn(next);
    for (const wording of wordings) {
      const [before = "", after = ""] = wording.replace(".", "").split("{}");
      const trailing = after.split(" ");
      for (let count = 0; count <= trailing.length; count++) {
        const answer = value + trailing.slice(0, count).join(" ");
        assert.equal(success(id, value, answer), 1, `${id}: ${answer}`);
      }
      // "One must drive", "nobody could beat": a number or a denial is never taken for one of the words around.
      const whole = `${before}${value}${after}`;
      assert.equal(success(id, value, whole), /\b(?:one|nobody)\b/.test(whole) ? 0 : 1, `${id}: ${whole}`);
    }
  }
});

test("of every kind another value is wrong in any words, and so are two values and a denial", () => {
  const next = random(10);
  for (const kind of kinds) {
    for (let n = 0; n < 4; n++) {
      const [value, other] = [kind.value(next), kind.value(next)];
      if (value === other) continue;
      const said = [...kind.wordings, ...kind.questions.map((question) => `${question} {}`), "{}"];
      for (const form of [other, ...(kind.also?.(other) ?? [])])
        for (const wording of said) {
          const answer = wording.replace("{}", form).replaceAll(/[?.]/g, "");
          assert.equal(success(kind.id, value, answer), 0, `${kind.id}, ${value}: ${answer}`);
        }
      for (const two of [`${value} or ${other}`, `${other} or ${value}`, `${value}, ${other}`, `${other} and ${value}`])
        for (const wording of said)
          assert.equal(success(kind.id, value, wording.replace("{}", two)), 0, `${kind.id}, ${value}: ${two}`);
      for (const denied of [`not ${value}`, `no ${value}`, `${value}, not`, `anything but ${value}`])
        for (const wording of said)
          assert.equal(success(kind.id, value, wording.replace("{}", denied)), 0, `${kind.id}: ${denied}`);
    }
  }
});

test("the number of an amount stands for it as the last word alone: any other word of its kind makes another quantity", () => {
  const next = random(11);
  for (const { id, value: drawn, wordings, questions } of kinds) {
    const value = drawn(next);
    const [, number, unit = ""] = /^(\d+) ([a-z]+)$/.exec(value) ?? [];
    if (number === undefined) continue;
    assert.equal(success(id, value, number), 1, `${id}: ${number}`);
    for (const word of ownWords([...wordings, ...questions]).filter((each) => each !== unit))
      for (const answer of [`${number} ${word}`, `${number} ${word}s`, `${number} ${word} ${word}`])
        assert.equal(success(id, value, answer), 0, `${id}, ${value}: ${answer}`);
  }
});

test("no word that denies or leaves a choice may stand beside a value", () => {
  const unfit = "not no nor nobody neither never none or either without except but minus than instead about".split(" ");
  const own = kinds.flatMap(({ wordings, questions }) => ownWords([...wordings, ...questions]));
  assert.deepEqual(
    own.filter((word) => unfit.includes(word)),
    [],
  );
  assert.deepEqual(ownWords(["Nobody could beat {}, not one, never, neither."]), ["could", "beat"]);
});
