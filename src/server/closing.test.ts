// A server that is told to end while a run goes on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hi } from "./asking.fixture.ts";
import { held, until } from "./held.fixture.ts";
import { serve } from "./serve.ts";

test("while the last run goes on, health says closing and nothing new is begun; then nobody listens", async () => {
  const model = held(["one "], ["two"]);
  const server = await serve({ teams: {}, models: { team: model } });
  const ask = () =>
    fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "team", messages: hi }),
    });
  const running = ask();
  await until(() => model.requests.length === 1);
  const closed = server.close({ deadlineMs: 60_000 });
  const health = await fetch(`${server.url}/healthz`);
  assert.deepEqual([health.status, await health.json()], [503, { status: "closing" }]);
  assert.equal((await ask()).status, 503);
  model.release();
  assert.equal((await running).status, 200);
  await closed;
  await assert.rejects(fetch(`${server.url}/healthz`));
});
