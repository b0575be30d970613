import assert from "node:assert/strict";
import test from "node:test";
import { clueItems } from "./clue-items.ts";
import { clues, wrongAnswers } from "./clues.ts";
import { mentions, sameAnswer } from "./match.ts";

test("there are at least 200 items, each with five clues that do not name the answer", () => {
  assert.ok(clueItems.length >= 200, String(clueItems.length));
  assert.equal(new Set(clueItems.map(({ answer }) => answer)).size, clueItems.length);
  const told = clueItems.flatMap((item) => item.clues);
  assert.equal(new Set(told).size, told.length);
  for (const { answer, aliases, clues: lines } of clueItems) {
    assert.equal(lines.length, 5, answer);
    for (const clue of lines) {
      assert.match(clue, /^[A-Z].*\.$/, clue);
      for (const name of [answer, ...aliases]) assert.ok(!mentions(clue, name), `${name}: ${clue}`);
    }
  }
});

test("each item has seven wrong answers of its category, none of which is another name for it", () => {
  for (const item of clueItems) {
    const wrong = wrongAnswers(item, 7);
    assert.equal(new Set(wrong).size, 7);
    for (const other of wrong) {
      for (const name of [item.answer, ...item.aliases]) assert.ok(!sameAnswer(name, other), `${name}: ${other}`);
      assert.equal(clueItems.find(({ answer }) => answer === other)?.category, item.category);
    }
  }
});

test("no name of an item is a name of another in its category", () => {
  for (const { answer, aliases, category } of clueItems) {
    for (const other of clueItems.filter((item) => item.category === category && item.answer !== answer)) {
      for (const name of [answer, ...aliases]) {
        assert.ok(![other.answer, ...other.aliases].some((own) => sameAnswer(own, name)), `${answer}, ${other.answer}`);
      }
    }
  }
});

const answers: readonly (readonly [item: string, text: string, success: 0 | 1])[] = [
  ["Albert Einstein", "Answer: Albert Einstein", 1],
  ["Albert Einstein", "Answer: Einstein", 1],
  ["Albert Einstein", "answer: einstein.", 1],
  ["Albert Einstein", "I think it is Einstein. Answer: Einstein", 1],
  ["Albert Einstein", "Einstein", 1],
  ["Albert Einstein", "Answer: It is Albert Einstein", 1],
  ["Albert Einstein", "Answer: Albert", 0],
  ["Albert Einstein", "Answer: Einsteinium", 0],
  ["Albert Einstein", "Answer: Newton or Einstein", 0],
  ["Albert Einstein", "Answer: Elsa Einstein", 0],
  ["Albert Einstein", "Answer: Isaac Newton", 0],
  ["Great Wall of China", "Answer: the Great Wall", 1],
  ["Great Wall of China", "Answer: The Chinese wall", 1],
  ["Great Wall of China", "Answer: the wall", 0],
  ["Great Wall of China", "Answer: China", 0],
  ["Netherlands", "Answer: the Netherlands", 1],
  ["Netherlands", "Answer: Holland", 1],
  ["Netherlands", "Answer: Netherland", 1],
  ["ant", "Answer: ants", 1],
  ["ant", "Answer: an ant", 1],
  ["ant", "Answer: elephant", 0],
  ["Turkey", "Answer: Türkiye", 1],
  ["Turkey", "Answer: Turkiye", 1],
  ["Moby Dick", "Answer: Moby-Dick", 1],
  ["Moby Dick", "Answer: **Moby Dick**", 1],
  ["Moby Dick", "Answer: Moby Dick (by Melville)", 1],
  ["Moby Dick", "Answer: the white whale", 0],
  ["gold", "Answer: Au", 1],
  ["gold", "Answer: golden", 0],
  ["gold", "Answer: not known yet", 0],
  ["gold", "Answer: silver. Answer: gold", 1],
  ["gold", "What does it weigh?", 0],
];

test("an answer is right if it names the item, and the first answer counts", () => {
  const task = clues();
  const all = (["train", "dev", "test"] as const).flatMap((split) => task.samples({ split, size: 1000, seed: 1 }));
  assert.equal(all.length, clueItems.length);
  for (const [item, text, success] of answers) {
    const sample = all.find(({ id }) => id === item);
    assert.ok(sample, item);
    assert.equal(task.judge([{ agent: "player", text }], sample).success, success, text);
  }
  const [sample] = all;
  assert.ok(sample);
  const late = ["wrong", sample.id].map((answer) => ({ agent: "player", text: `Answer: ${answer}` }));
  assert.deepEqual([task.judge(late, sample).over, task.judge(late, sample).success], [true, 0]);
});

test("the quizmaster's template tells the clues in order", () => {
  for (const { roles, data } of clues().samples({ split: "dev", size: 5, seed: 1 })) {
    assert.equal(roles[0]?.says, data.clues.join(" "));
  }
});

test("the question asks for what the clues describe, says its category, and does not give the answer away", () => {
  const all = (["train", "dev", "test"] as const).flatMap((split) => clues().samples({ split, size: 1000, seed: 1 }));
  const einstein = all.find(({ id }) => id === "Albert Einstein");
  assert.equal(einstein?.answer.about, "What do the clues describe? The category is: person.");
  for (const { answer, data } of all) {
    assert.equal(answer.about, `What do the clues describe? The category is: ${data.category}.`);
    for (const name of answer.right) assert.ok(!mentions(answer.about, name), answer.about);
  }
});

test("impossible options are refused by name", () => {
  assert.throws(() => clues({ choices: 1 }), /clues\.choices: must be 0 \(a free answer\) or .*; was 1/);
});
