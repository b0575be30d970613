import assert from "node:assert/strict";
import test from "node:test";
import { random } from "../../base/random.ts";
import type { Sample, Transcript } from "../task.ts";
import { dials, generate, solve, travel, type Level, type Person, type Problem, type Slot } from "./calendar.ts";
import { heardEnough } from "./enough.ts";
import { meeting } from "./meeting.ts";
import { isRightSlot, readSlot } from "./slot.ts";

const levels: readonly Level[] = ["easy", "medium", "hard"];

/** Whether all can meet, by looking at every minute of the day: where each must be, and whether there is time to get there. */
function canMeetByMinutes(problem: Problem, { day, start, site }: Slot): boolean {
  const end = start + problem.duration;
  return problem.people.every((person) => {
    if (start < person.earliest || end > person.latest) return false;
    const own = person.busy.filter((busy) => busy.day === day);
    for (let minute = 0; minute < 24 * 60; minute++) {
      const busy = own.find(({ from, to }) => from <= minute && minute < to);
      if (busy === undefined) continue;
      const far = busy.place === undefined ? 0 : travel(problem, busy.place, site);
      // From a busy minute one needs `far` minutes to or from any minute of the meeting.
      if (minute >= start && minute < end) return false;
      if (minute < start && start - (minute + 1) < far) return false;
      if (minute >= end && minute - end < far) return false;
    }
    return true;
  });
}

test("the solver finds exactly the slots that a minute-by-minute check allows", () => {
  const next = random(11);
  for (const level of levels) {
    for (let n = 0; n < 12; n++) {
      const problem = generate(next, level, n % 3 > 0);
      const found = new Set(solve(problem).map((slot) => JSON.stringify(slot)));
      for (const day of problem.days) {
        for (let start = 8 * 60; start < 18 * 60; start += 30) {
          for (const site of problem.sites) {
            const slot = { day, start, site };
            assert.equal(found.has(JSON.stringify(slot)), canMeetByMinutes(problem, slot), JSON.stringify(slot));
          }
        }
      }
    }
  }
});

test("a problem has an answer or none as asked, and no more answers than its level allows", () => {
  const next = random(12);
  for (const level of levels) {
    for (let n = 0; n < 40; n++) {
      const count = solve(generate(next, level, n % 2 === 0)).length;
      if (n % 2 === 0) assert.ok(count > 0 && count <= dials[level].slots);
      else assert.equal(count, 0);
    }
  }
});

test("the share of problems without an answer is what was asked for", () => {
  for (const [unsolvable, low, high] of [
    [0, 0, 0],
    [20, 0.1, 0.3],
    [100, 1, 1],
  ] as const) {
    const samples = meeting({ unsolvable }).samples({ split: "train", size: 150, seed: 1 });
    const share = samples.filter(({ answer }) => answer.right[0] === "none").length / samples.length;
    assert.ok(share >= low && share <= high, `${unsolvable}: ${share}`);
  }
});

const problem: Problem = {
  days: ["Monday", "Tuesday"],
  duration: 60,
  places: [
    { name: "Harbor", at: 0 },
    { name: "Mill", at: 60 },
    { name: "Castle", at: 90 },
  ],
  sites: ["Harbor", "Mill"],
  people: [
    { id: "traveler", earliest: 540, latest: 1020, busy: [{ day: "Monday", from: 540, to: 1020 }] },
    { id: "planner-a", earliest: 540, latest: 1020, busy: [{ day: "Tuesday", from: 540, to: 720, place: "Harbor" }] },
    { id: "planner-b", earliest: 540, latest: 900, busy: [{ day: "Tuesday", from: 900, to: 960, place: "Castle" }] },
  ],
};

const answers: readonly (readonly [answer: string, right: boolean])[] = [
  ["Tuesday 13:00 at Mill", true],
  ["Tuesday 13:30 at Mill", true],
  ["Tuesday 12:00 at Harbor", true],
  ["Tuesday 12:30 at Harbor", true],
  ["tue 13:00, Mill", true],
  ["Tuesday, 13:00 to 14:00, at the Mill", true],
  ["Tuesday 13:00-14:00 at Mill", true],
  ["1:00 pm on Tuesday at Mill", true],
  ["Tuesday 1 p.m. at Mill", true],
  ["Tuesday 13.30 at Mill", true],
  ["We meet at Mill on Tuesday at 13:00", true],
  ["Tuesday 12:00 at Mill", false],
  ["Tuesday 14:00 at Mill", false],
  ["Tuesday 13:00 at Harbor", false],
  ["Tuesday 13:00 at Castle", false],
  ["Tuesday 13:00", false],
  ["13:00 at Mill", false],
  ["Monday 13:00 at Mill", false],
  ["Wednesday 13:00 at Mill", false],
  ["Monday or Tuesday 13:00 at Mill", false],
  ["Tuesday 13:00 at Mill or Harbor", false],
  ["Tuesday 13:00 or 13:30 at Mill", false],
  ["Tuesday 13:00 to 15:00 at Mill", false],
  ["Tuesday 13:15 at Mill", false],
  ["Tuesday 1:00 at Mill", false],
  ["Tuesday 25:00 at Mill", false],
  ["Tuesday 13 at Mill", false],
  ["Tuesday at Mill", false],
  ["none", false],
  ["No time works", false],
  ["", false],
  ["13:00 Tuesday Millstone", false],
];

test("an answer is right if it names one day, one beginning and one place at which all can meet", () => {
  for (const [answer, right] of answers) assert.equal(isRightSlot(answer, problem), right, answer);
  assert.deepEqual(readSlot("None of the Monday times, so Tuesday 13:00 at Mill", problem), undefined);
});

test("where there is no slot, saying so is right, in any usual words", () => {
  const full = { ...problem, days: ["Monday"] };
  assert.deepEqual(solve(full), []);
  for (const answer of ["none", "None.", "no such time", "There is no time", "not possible", "impossible"]) {
    assert.ok(isRightSlot(answer, full), answer);
  }
  for (const answer of ["Monday 9:00 at Mill", "Monday", "nonetheless", "perhaps none", ""]) {
    assert.ok(!isRightSlot(answer, full), answer);
  }
});

test("with one day and one place, the time alone is enough", () => {
  const small = { ...problem, days: ["Tuesday"], sites: ["Mill"] };
  assert.ok(isRightSlot("13:00", small));
  assert.ok(isRightSlot("Tuesday 1 pm", small));
  assert.ok(!isRightSlot("13:00 at Harbor", small));
  assert.ok(!isRightSlot("Monday 13:00", small));
});

/** What a listener can be sure of who takes everything not yet heard for busy, or for free. */
function certain(sample: Sample<Problem>, heard: Transcript): boolean {
  const unknown = (fill: "busy" | "free") => {
    const people = sample.data.people.map((person): Person => {
      const says = sample.roles.find(({ id }) => id === person.id)?.says;
      if (says === undefined) return person;
      const text = heard.find(({ agent }) => agent === person.id)?.text ?? "";
      const sentences = text.split(/(?<=\.)\s?/).filter((sentence) => sentence.endsWith("."));
      const hours = sentences.length > 0;
      const days = sample.data.days.slice(0, Math.max(0, sentences.length - 1));
      const whole = (day: string) => (fill === "busy" ? [{ day, from: 0, to: 24 * 60 }] : []);
      const open = fill === "free" ? { earliest: 0, latest: 24 * 60 } : { earliest: 24 * 60, latest: 0 };
      return {
        ...person,
        ...(hours ? {} : open),
        busy: sample.data.days.flatMap((day) =>
          days.includes(day) ? person.busy.filter((busy) => busy.day === day) : whole(day),
        ),
      };
    });
    return solve({ ...sample.data, people }).length;
  };
  return unknown("busy") > 0 || unknown("free") === 0;
}

test("heard enough is when the rest cannot change the answer", () => {
  for (const level of levels) {
    for (const sample of meeting({ level, unsolvable: 50 }).samples({ split: "dev", size: 14, seed: 4 })) {
      const [first, second] = sample.roles.map(({ id, says = "" }) => ({ id, says }));
      assert.ok(first && second);
      for (let one = 0; one <= first.says.length; one += 23) {
        for (let other = 0; other <= second.says.length; other += 31) {
          const heard: Transcript = [
            { agent: first.id, text: first.says.slice(0, one) },
            { agent: second.id, text: second.says.slice(0, other) },
          ];
          assert.equal(heardEnough(heard, sample), certain(sample, heard), JSON.stringify([sample.id, one, other]));
        }
      }
      const all = [first, second].map(({ id, says }) => ({ agent: id, text: says }));
      assert.equal(heardEnough(all, sample), true);
    }
  }
});

test("a planner with words of its own leaves open whether enough was heard", () => {
  const [sample] = meeting().samples({ split: "dev", size: 1, seed: 4 });
  assert.ok(sample);
  const heard = ["planner-a", "planner-b"].map((agent) => ({ agent, text: "I can do the early afternoon." }));
  assert.equal(heardEnough(heard, sample), undefined);
});

test("impossible options are refused by name", () => {
  assert.throws(
    () => meeting({ level: "brutal" as Level }),
    /meeting\.level: must be one of easy, medium, hard; was "brutal"/,
  );
  assert.throws(() => meeting({ unsolvable: 101 }), /meeting\.unsolvable: .* from 0 to 100; was 101/);
  assert.throws(() => meeting({ choices: 9 }), /meeting\.choices/);
});
