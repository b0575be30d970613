import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { chainOfFour } from "../docs/images/runs.mjs";
import { viewerPage } from "../dist/viewer/index.js";
import { ensureBundle, openBrowser, skip, violations } from "./viewer-browser.mjs";

/** A server with one run, whose events the test lets out; it wants a key where one is given. */
async function runServer(context, { key } = {}) {
  const events = [];
  const clients = new Set();
  const resumed = [];
  const hands = [];
  const wishes = [];
  const send = (client) => {
    for (; client.next < events.length; client.next++)
      client.response.write(`id: ${client.next}\ndata: ${JSON.stringify(events[client.next])}\n\n`);
  };
  const bodyOf = async (request) => JSON.parse(Buffer.concat(await request.toArray()).toString());
  const routes = {
    "GET /": ({ response }) => response.setHeader("Content-Type", "text/html").end(viewerPage()),
    "GET /runs": ({ response }) =>
      response.end(JSON.stringify({ runs: [{ id: "r 1", team: "chain", state: "running", task: "A task" }] })),
    "GET /v1/models": ({ response }) => response.end(JSON.stringify({ data: [{ id: "chain" }] })),
    "POST /runs": async ({ request, response }) => {
      wishes.push(await bodyOf(request));
      response.writeHead(202).end(JSON.stringify({ id: "r 1" }));
    },
    "POST /runs/r%201/interrupt": async ({ request, response }) => {
      hands.push(await bodyOf(request));
      response.end(JSON.stringify({ interrupted: hands.length === 1 }));
    },
    "GET /runs/r%201/events": ({ request, response }) => {
      const last = request.headers["last-event-id"];
      resumed.push(last);
      response.setHeader("Content-Type", "text/event-stream");
      const client = { response, next: last === undefined ? 0 : Number(last) + 1 };
      clients.add(client);
      response.on("close", () => clients.delete(client));
      send(client);
    },
  };
  const server = createServer((request, response) => {
    const open = request.url === "/" || key === undefined || request.headers.authorization === `Bearer ${key}`;
    const route = routes[`${request.method} ${request.url}`];
    if (!open) response.writeHead(401).end();
    else if (route === undefined) response.writeHead(404).end();
    else void route({ request, response });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    resumed,
    hands,
    wishes,
    say(more) {
      events.push(...more);
      for (const client of clients) send(client);
    },
    hangUp() {
      for (const { response } of clients) response.destroy();
    },
  };
}

describe("the viewer of a server", { skip }, () => {
  let browser;
  let events;
  before(async () => {
    ensureBundle();
    [browser, events] = await Promise.all([openBrowser(), chainOfFour("stream")]);
  });
  after(() => browser?.close());

  const clockShows = (page, at) =>
    page.waitForFunction(
      (ms) => document.querySelector("[role=slider]")?.getAttribute("aria-valuenow") === String(Math.round(ms)),
      at,
    );

  test("a run is followed as it goes on, over a broken connection, to its end", async (context) => {
    const server = await runServer(context);
    server.say(events.slice(0, 200));
    const { page, problems } = await browser.visit(server.url);
    await clockShows(page, events[199].at);
    server.say(events.slice(200, 400));
    await clockShows(page, events[399].at);
    server.hangUp();
    await page.getByRole("status").getByText("broke off").waitFor();
    server.say(events.slice(400));
    await clockShows(page, events.at(-1).at);
    assert.deepEqual(server.resumed, [undefined, "399"]);
    assert.match(await page.getByRole("region", { name: "run stream" }).innerText(), /calls\s+25/);
    assert.equal(await page.getByRole("button", { name: /^Raise a hand/ }).count(), 0);
    assert.deepEqual(
      problems.filter((problem) => !problem.includes("ERR_")),
      [],
    );
    await page.close();
  });

  test("a person raises a hand; the second one comes too late", async (context) => {
    const server = await runServer(context);
    server.say(events.slice(0, 300));
    const { page, problems } = await browser.visit(server.url);
    const raise = page.getByRole("button", { name: "Raise a hand: interrupt solver" });
    await raise.click();
    await page.waitForFunction(() => !document.querySelector(".raise").disabled);
    await raise.click();
    await page.getByRole("status").getByText("That came too late").waitFor();
    assert.deepEqual(server.hands, [
      { agent: "solver", by: "a person", hold_ms: 5000 },
      { agent: "solver", by: "a person", hold_ms: 5000 },
    ]);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("a server that wants a key is asked again with it, and a task is given to a team", async (context) => {
    const server = await runServer(context, { key: "secret" });
    server.say(events);
    const { page } = await browser.visit(server.url);
    await page.getByLabel("The server's key").fill("secret");
    await page.keyboard.press("Enter");
    await clockShows(page, events.at(-1).at);
    await page.getByLabel("Task").fill("Another task");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("[aria-label=Task]").value === "");
    assert.deepEqual(server.wishes, [{ model: "chain", task: "Another task" }]);
    await page.close();
  });

  test("64 agents at 5,000 chunks a second stay within 250 ms", async (context) => {
    const server = await runServer(context);
    const ids = Array.from({ length: 64 }, (_, index) => `agent ${index}`);
    server.say([{ ...events[0], agents: ids.map((id) => ({ id, model: "m" })), edges: [] }]);
    server.say(ids.map((agent) => ({ type: "turn-start", at: 0, agent, seq: 0, turn: 0, heard: [] })));
    const { page, problems } = await browser.visit(server.url);
    await page.locator("canvas").waitFor();
    const began = performance.now();
    const lags = [];
    let sent = 0;
    let shown = 0;
    const at = () => Math.round(performance.now() - began);
    while (at() < 2500) {
      const now = at();
      const due = now * 5;
      server.say(
        Array.from({ length: due - sent }, (_, index) => {
          const agent = ids[(sent + index) % 64];
          return { type: "chunk", at: now, agent, seq: 1, turn: 0, text: "word ", tokens: 1 };
        }),
      );
      sent = due;
      if (now - shown >= 100) {
        shown = now;
        const seen = Number(await page.getByRole("slider").getAttribute("aria-valuenow"));
        if (now > 600) lags.push(now - seen);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    // One look in ten may fall into a pause of the machine.
    const worst = lags.toSorted((a, b) => a - b)[Math.floor(lags.length * 0.9)];
    context.diagnostic(`behind by at most ${worst} ms in nine of ten of ${lags.length} looks`);
    assert.ok(worst <= 250, `behind by ${worst} ms`);
    assert.deepEqual(problems, []);
    await page.close();
  });
});
