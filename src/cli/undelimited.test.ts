import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "../core/types.ts";
import { Undelimited, shownOf } from "./undelimited.ts";

const said = "Step 1: 1 + 1 = 2\nEND_STEP\nStep 2: 2 + 2 = 4\nand so on\nEND_STEP\nStep 3: 3 +";
const shown = "Step 1: 1 + 1 = 2\nStep 2: 2 + 2 = 4\nand so on\nStep 3: 3 +";

test("delimiters are left out of what is said, wherever its chunks end, and nothing else is", () => {
  for (let size = 1; size <= said.length; size++) {
    const flow = new Undelimited();
    let text = "";
    for (let from = 0; from < said.length; from += size) text += flow.push(said.slice(from, from + size));
    assert.equal(text + flow.end(), shown, `chunks of ${size}`);
    assert.equal(flow.push("END") + flow.end(), "END", "the next text begins anew");
  }
});

test("only of runs with a simulated agent, and then of all agents: else what a model says is its own", () => {
  const start = (simulated: true | undefined) => [{ type: "run-start", simulated } as RunEvent];
  assert.equal(shownOf(start(true), said), shown);
  assert.equal(shownOf(start(undefined), said), said);
});
