import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model } from "../core/types.ts";
import { run } from "../runtime/run.ts";
import { VirtualClock } from "../testing/clock.ts";
import { scripted } from "../testing/scripted.ts";
import { Live } from "./live.ts";
import { width } from "./printable.ts";
import type { Look } from "./timeline.ts";

/** What a terminal shows of what was written: the cursor goes up, writes over what was there, and clears what is behind it. */
function screenOf(text: string): string[] {
  const rows: string[][] = [[]];
  let [row, column] = [0, 0];
  const put = (character: string) => {
    if (character === "\r") column = 0;
    else if (character === "\n") {
      [row, column] = [row + 1, 0];
      rows[row] ??= [];
    } else (rows[row] ??= [])[column++] = character;
  };
  for (const [index, part] of text.split("\u001b[").entries()) {
    const [sequence = "", count, command] = index === 0 ? [] : (/^([\d;]*)([AJKm])/.exec(part) ?? []);
    if (command === "A") row -= Number(count);
    if (command === "J") rows.length = row + 1;
    if (command === "J" || command === "K") (rows[row] ??= []).length = column;
    for (const character of part.slice(sequence.length)) put(character);
  }
  return rows.map((cells) => cells.join(""));
}

async function shown(look: Look, { moves = true, agents = 2 }: { moves?: boolean; agents?: number } = {}) {
  const clock = new VirtualClock();
  const said = [
    "alpha beta gamma delta epsilon zeta eta theta\n",
    "END_STEP\n",
    "iota kappa\u001b[2J lambda 😀 mu nu\n",
    "END_STEP\n",
  ];
  const model: Model = scripted(clock, () => said, { ms: 1 });
  const ids = ["solver", "reviewer", "editor", "last"].slice(0, agents);
  const topology = {
    agents: ids.map((id) => ({ id, instructions: id, model })),
    edges: ids.slice(1).map((id, index) => [ids[index] ?? "", id] as const),
  };
  let text = "";
  const live = new Live({ out: { write: (more: string) => (text += more) }, look, moves });
  const play = async () => {
    for await (const event of run(topology, "task", { clock })) live.add(event);
  };
  await clock.run(play());
  live.end();
  return { text, rows: screenOf(text) };
}

for (const columns of [40, 80, 120, 160])
  for (const agents of [1, 2, 4])
    test(`on ${columns} columns ${agents} agents' words are all there, in order, and no row is too wide`, async () => {
      const { text, rows } = await shown({ columns, color: true }, { agents });
      for (const row of rows) assert.ok(width(row) < columns, row);
      const words: string[] = rows.join(" ").match(/\b(alpha|gamma|theta|iota|lambda|nu)\b/g) ?? [];
      // Each agent answers every step with two.
      assert.equal(words.filter((word) => word === "lambda").length, 2 ** agents - 1);
      assert.ok(words.indexOf("alpha") < words.indexOf("theta") && words.indexOf("theta") < words.indexOf("iota"));
      assert.ok(text.includes("\\x1b[2J") && !text.includes("\u001b[2J"), "control characters of a model are not raw");
    });

test("a terminal whose cursor cannot be moved, or without color, gets neither", async () => {
  const { text } = await shown({ columns: 60, color: false, unicode: false }, { moves: false });
  assert.ok(!text.includes("\u001b"));
  assert.match(text, /^[ -~\n]+$/);
});
