import assert from "node:assert/strict";
import test from "node:test";
import { bannedFor, bannedIn } from "./banned.ts";
import { mentions, sameAnswer } from "./match.ts";
import { distractorsOf, pictionary, pictionaryWords } from "./pictionary.ts";

const wordOf = (name: string) => {
  const word = pictionaryWords.find((item) => item.word === name);
  assert.ok(word, name);
  return word;
};

const sampleOf = (name: string) => {
  const task = pictionary();
  const all = (["train", "dev", "test"] as const).flatMap((split) => task.samples({ split, size: 1000, seed: 1 }));
  const sample = all.find(({ id }) => id === name);
  assert.ok(sample, name);
  return { task, sample };
};

test("there are at least 200 words, each once, each with at least 7 distractors", () => {
  assert.ok(pictionaryWords.length >= 200, String(pictionaryWords.length));
  const names = pictionaryWords.map(({ word }) => word);
  assert.equal(new Set(names).size, names.length);
  for (const word of pictionaryWords) {
    const wrong = distractorsOf(word, 7);
    assert.equal(new Set(wrong).size, 7, word.word);
    for (const other of wrong) {
      for (const name of [word.word, ...word.aliases]) assert.ok(!sameAnswer(name, other), `${word.word}: ${other}`);
    }
  }
});

test("no two words of a category share a name", () => {
  const owner = new Map<string, string>();
  for (const { word, aliases, category } of pictionaryWords) {
    for (const name of [word, ...aliases]) {
      const key = `${category}: ${name.toLowerCase()}`;
      assert.equal(owner.get(key) ?? word, word, key);
      owner.set(key, word);
    }
  }
});

test("the parts of a closed compound make up the word", () => {
  for (const { word, parts } of pictionaryWords) if (parts.length > 0) assert.equal(parts.join(""), word);
});

const said: readonly (readonly [word: string, text: string, banned: string | undefined])[] = [
  ["umbrella", "It keeps you dry.", undefined],
  ["umbrella", "It is an umbrella.", "umbrella"],
  ["umbrella", "UMBRELLAS are useful.", "umbrellas"],
  ["umbrella", "Some call it a parasol!", "parasol"],
  ["toothbrush", "You move it over each tooth.", "tooth"],
  ["toothbrush", "You use it for brushing.", "brushing"],
  ["toothbrush", "A tooth-brush.", "tooth"],
  ["ice cream", "It is cold as ice.", "ice"],
  ["ice cream", "A creamy treat.", "creamy"],
  ["frying pan", "One fries eggs in it.", undefined],
  ["frying pan", "A flat pan.", "pan"],
  ["cherry", "Cherries grow on it.", "cherries"],
  ["wolf", "It runs with other wolves.", "wolves"],
  ["swimming", "People swim in a pool.", "swim"],
  ["fencing", "Two fence each other.", "fence"],
  ["gymnastics", "It has gymnastic moves.", "gymnastic"],
  ["gymnastics", "It is done on mats.", undefined],
  ["fog", "A foggy morning.", "foggy"],
  ["banana", "B-A-N-A-N-A", "banana"],
  ["banana", "b a n a n a", "banana"],
  ["rain·coat".replace("·", ""), "You wear it when it rains.", "rains"],
  ["ear", "It gets up early, and hears.", undefined],
  ["ant", "An elephant wants it.", undefined],
  ["corn", "It stands in the corner.", undefined],
  ["moth", "Not your mother.", undefined],
  ["bat", "You need a battery.", undefined],
  ["car·pet".replace("·", ""), "A pet sleeps on it in the car.", undefined],
  ["mirror", "It is made of glass.", undefined],
  ["mirror", "A looking glass.", "looking glass"],
  ["spaghetti", "It is a kind of pasta.", "pasta"],
  ["dress", "Dressed in it, one dances.", "dressed"],
  ["knee", "It bends; one kneels.", undefined],
  ["church", "The church's tower is high.", "church"],
  ["tape measure", "It is used for measuring.", "measuring"],
];

test("a describer may not say the word, its parts, its aliases or a form of them", () => {
  for (const [word, text, banned] of said)
    assert.equal(bannedIn(text, bannedFor(wordOf(word))), banned, `${word}: ${text}`);
});

const talk = (...lines: readonly string[]) =>
  lines.map((text, index) => ({ agent: index % 2 === 0 ? "describer" : "guesser", text }));

const guesses: readonly (readonly [guess: string, success: 0 | 1])[] = [
  ["Guess: umbrella", 1],
  ["Guess: an Umbrella!", 1],
  ["Guess: umbrellas", 1],
  ["guess: PARASOL", 1],
  ["**Guess:** *umbrella*", 1],
  ["I think I know. Guess: the umbrella", 1],
  ["Guess: It's an umbrella.", 1],
  ["Guess: coat\nGuess: umbrella", 1],
  ["umbrella", 1],
  ["Umbrella?", 0],
  ["Guess: umbrella?", 1],
  ["Guess: umbrella. It opens.", 1],
  ["Guess: umbrella (for rain)", 1],
  ["Guess:\numbrella", 1],
  ["Guess: ümbrella", 1],
  ["Guess: raincoat", 0],
  ["Guess: umbrella or raincoat", 0],
  ["Guess: umbrella, raincoat, boot", 0],
  ["Guess: not an umbrella", 0],
  ["Guess: umbrella\nGuess: coat", 0],
  ["Guess: umbrella stand", 0],
  ["Guess: umbra", 0],
  ["Guess: I don't know", 0],
  ["Guess:", 0],
  ["It might be an umbrella, I am not sure at all", 0],
  ["Go on", 0],
  ["", 0],
];

test("a guess is right if it names the word or an alias, and nothing else", () => {
  const { task, sample } = sampleOf("umbrella");
  for (const [guess, success] of guesses) {
    assert.equal(task.judge(talk("It keeps you dry.", guess), sample).success, success, JSON.stringify(guess));
  }
});

test("a wrong guess leaves more rounds, the last one ends it", () => {
  const { task, sample } = sampleOf("umbrella");
  const one = ["It keeps you dry.", "Guess: roof"];
  assert.deepEqual([task.judge(talk(...one), sample).over, sample.rounds], [false, 3]);
  const right = task.judge(talk(...one, "One carries it.", "Guess: umbrella"), sample);
  assert.deepEqual([right.over, right.success], [true, 1]);
  assert.equal(task.judge(talk(...one, ...one, ...one), sample).over, true);
});

test("saying the word loses, unless it was guessed before", () => {
  const { task, sample } = sampleOf("umbrella");
  const slip = task.judge(talk("It is an umbrella.", "Guess: umbrella"), sample);
  assert.deepEqual([slip.over, slip.success, slip.detail], [true, 0, 'describer said "umbrella"']);
  assert.equal(task.judge(talk("It keeps you dry.", "Guess: umbrella", "Yes, an umbrella!"), sample).success, 1);
  assert.equal(task.judge(talk("It keeps you dry.", "Guess: coat", "No, an umbr"), sample).over, false);
});

test("the choices contain the word, and the guesser is told them", () => {
  const [sample] = pictionary({ choices: 8 }).samples({ split: "dev", size: 1, seed: 1 });
  const { candidates = [], right } = sample?.answer ?? {};
  assert.deepEqual([candidates.length, candidates.includes(right?.[0] ?? "")], [8, true]);
  const guesser = sample?.roles.find(({ id }) => id === "guesser");
  assert.ok(candidates.every((word) => guesser?.instructions.includes(word)));
  assert.ok(!pictionary().samples({ split: "dev", size: 1, seed: 1 })[0]?.roles[1]?.instructions.includes("one of"));
});

test("the question asks for the word, says its category, and does not give the word away", () => {
  const { sample } = sampleOf("umbrella");
  assert.equal(sample.answer.about, "Which word is described? It belongs to: household.");
  for (const { answer, data } of pictionary({ choices: 8 }).samples({ split: "train", size: 100, seed: 1 })) {
    assert.equal(answer.about, `Which word is described? It belongs to: ${data.category}.`);
    for (const name of answer.right) assert.ok(!mentions(answer.about, name), answer.about);
  }
});

test("impossible options are refused by name", () => {
  assert.throws(
    () => pictionary({ choices: 1 }),
    /pictionary\.choices: must be 0 \(a free answer\) or .* 2 to 8; was 1/,
  );
  assert.throws(() => pictionary({ rounds: 0 }), /pictionary\.rounds: must be a whole number from 1 to 100; was 0/);
});
