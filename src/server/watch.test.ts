import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "../core/types.ts";
import { chat, get, post } from "./asking.fixture.ts";
import { handler } from "./handler.ts";
import { held, until } from "./held.fixture.ts";

async function running() {
  const model = held(["one ", "two "], ["three"]);
  const answer = handler({ teams: {}, models: { model } });
  const started = await post(answer, "/runs", { body: { model: "model", task: "go" } });
  const { id } = (await started.json()) as { id: string };
  await until(() => model.requests.length === 1, "the call");
  const ask = async (path: string, body: object) => (await post(answer, `/runs/${id}/${path}`, { body })).json();
  const events = async (): Promise<RunEvent[]> => {
    const text = await (await get(answer, `/runs/${id}/events`)).text();
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, line]) => JSON.parse(line!) as RunEvent);
  };
  return { model, answer, id, ask, events };
}

test("a person who cut wrongly gives the floor back while the agent's place is kept, and it goes on with its turn", async () => {
  const { model, id, ask, events } = await running();
  assert.deepEqual(await ask("resume", { agent: "model" }), { run: id, resumed: false });
  assert.deepEqual(await ask("interrupt", { agent: "model", hold_ms: 60_000 }), { run: id, interrupted: true });
  assert.deepEqual(await ask("resume", { agent: "model" }), { run: id, resumed: true });
  await until(() => model.requests.length === 2, "the second call");
  model.release();
  const starts = (await events()).filter((event) => event.type === "turn-start");
  assert.deepEqual(
    starts.map((event) => event.resumes),
    [undefined, 0],
  );
  assert.deepEqual(await ask("resume", { agent: "model" }), { run: id, resumed: false });
});

test("the floor is given back to an agent of the run alone, and a place is kept for ten minutes at most", async () => {
  const { model, ask } = await running();
  assert.match((await ask("resume", { agent: "nobody" })).error.message, /^agent: this run has no such agent/);
  assert.match((await ask("resume", {})).error.message, /^agent: /);
  assert.match((await ask("interrupt", { agent: "model", hold_ms: 1e9 })).error.message, /^hold_ms: /);
  assert.match((await ask("interrupt", { agent: "model", hold_ms: -1 })).error.message, /^hold_ms: /);
  model.release();
});

test("a run goes on when what follows it fails", async (context) => {
  const warned: string[] = [];
  const listen = ({ message }: Error) => void warned.push(message);
  process.on("warning", listen);
  context.after(() => process.off("warning", listen));
  const model = held([], ["fine"]);
  model.release();
  const broken = () => {
    throw new Error("out of order");
  };
  const answer = handler({ teams: {}, models: { team: model }, telemetry: { provider: broken } });
  const { choices } = await (await chat(answer)).json();
  assert.equal(choices[0].message.content, "fine");
  await until(() => warned.length > 0, "the warning");
  assert.deepEqual(warned, ["a run is not followed any more: out of order"]);
});
