// How fast the viewer is: what its tests bound in processor time, and `bench/viewer.mjs` tells in real time.
import { createServer } from "node:http";
import { page as pageOf, viewerPage } from "../dist/viewer/index.js";

/** A chain of agents that hear each other's steps, with decisions: about `size` events. */
export function largeTrace(size, agents = 8) {
  const ids = Array.from({ length: agents }, (_, index) => `agent-${index}`);
  const edges = ids.slice(1).map((id, index) => [ids[index], id]);
  const head = {
    type: "run-start",
    version: 1,
    at: 0,
    run: "large",
    protocol: "stream",
    join: "aligned",
    hear: "each",
  };
  const events = [{ ...head, task: "Much", agents: ids.map((id) => ({ id, model: "m" })), edges }];
  const seqs = new Map(ids.map((id) => [id, 0]));
  const usage = { calls: 1, inputTokens: 100, cachedTokens: 50, outputTokens: 24 };
  const add = (agent, event) => {
    events.push({ ...event, agent, seq: seqs.get(agent) });
    seqs.set(agent, seqs.get(agent) + 1);
  };
  for (let turn = 0, at = 0; events.length < size; turn++, at += 250)
    for (const [index, agent] of ids.entries()) {
      const heard = index > 0 && turn > index ? [[ids[index - 1], turn - 1]] : [];
      add(agent, { type: "turn-start", at, turn, heard });
      for (let word = 1; word <= 24; word++)
        add(agent, { type: "chunk", at: at + word * 9, turn, text: `word ${word} `, tokens: 1 });
      const decision = { type: "decision", at: at + 220, turn, by: ids[(index + 1) % agents], outcome: "wait", ms: 3 };
      add(agent, { ...decision, advantage: -1, probability: 0.2, chunks: 1, tokens: 24 });
      add(agent, { type: "step", at: at + 225, turn, index: turn, text: "words" });
      add(agent, { type: "turn-end", at: at + 230, turn, reason: "stop", usage });
    }
  return events.toSorted((a, b) => a.at - b.at);
}

/** A server with one run, whose events the test lets out; it wants a key where one is given. */
export async function runServer(context, { key } = {}) {
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

/** Processor time of the page's main thread since it was opened, in milliseconds: other work on the machine is not in it. */
async function spentIn(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
  };
}

const twoFrames = () =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now()))));

/** Moves the cursor to a place far away before each of 90 frames; their times in milliseconds, the shortest first. */
async function scrub() {
  const plot = document.querySelector("canvas");
  const box = plot.getBoundingClientRect();
  const at = (type, share) =>
    plot.dispatchEvent(
      new PointerEvent(type, {
        bubbles: true,
        pointerId: 1,
        button: 0,
        clientX: box.left + box.width * share,
        clientY: box.top + 5,
      }),
    );
  HTMLElement.prototype.setPointerCapture = () => undefined;
  const next = () => new Promise((resolve) => requestAnimationFrame(resolve));
  at("pointerdown", 0);
  const gaps = [];
  let last = await next();
  for (let step = 0; step < 90; step++) {
    at("pointermove", (step * 0.618) % 1);
    const now = await next();
    gaps.push(now - last);
    last = now;
  }
  at("pointerup", 0.5);
  return gaps.toSorted((a, b) => a - b);
}

/** Opens a trace of so many events and scrubs it. Times in milliseconds; `Cpu`: of the main thread's processor. */
export async function measureLarge(browser, size) {
  const html = pageOf({ traces: [{ name: "large", events: largeTrace(size) }] });
  let spent;
  const { page, problems } = await browser.show(html, { before: async (blank) => (spent = await spentIn(blank)) });
  const ready = await page.evaluate(twoFrames);
  await page.waitForSelector("canvas");
  const readyCpu = await spent();
  const frames = await page.evaluate(scrub);
  const frameCpu = ((await spent()) - readyCpu) / frames.length;
  const paragraphs = await page.locator("p.said").count();
  await page.close();
  return { ready, readyCpu, frame: frames[45], frame90: frames[81], frameCpu, paragraphs, problems };
}

/** A run of 64 agents at 5,000 chunks a second, followed for so long: how far the page was behind, in milliseconds. */
export async function measureLive(browser, context, ms) {
  const server = await runServer(context);
  const ids = Array.from({ length: 64 }, (_, index) => `agent ${index}`);
  const agents = ids.map((id) => ({ id, model: "m" }));
  const head = { type: "run-start", version: 1, at: 0, run: "live", protocol: "stream", join: "aligned", hear: "each" };
  server.say([{ ...head, task: "Much", agents, edges: [] }]);
  server.say(ids.map((agent) => ({ type: "turn-start", at: 0, agent, seq: 0, turn: 0, heard: [] })));
  let spent;
  const { page, problems } = await browser.visit(server.url, {
    before: async (blank) => (spent = await spentIn(blank)),
  });
  await page.locator("canvas").waitFor();
  const before = await spent();
  const began = performance.now();
  const at = () => Math.round(performance.now() - began);
  const behind = [];
  let sent = 0;
  let looked = 0;
  while (at() < ms) {
    const now = at();
    const more = Array.from({ length: now * 5 - sent }, (_, index) => {
      const agent = ids[(sent + index) % 64];
      return { type: "chunk", at: now, agent, seq: 1, turn: 0, text: "word ", tokens: 1 };
    });
    server.say(more);
    sent += more.length;
    if (now - looked >= 100) {
      looked = now;
      const seen = Number(await page.getByRole("slider").getAttribute("aria-valuenow"));
      if (now > 600) behind.push(now - seen);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const busy = ((await spent()) - before) / at();
  await page.close();
  return { behind: behind.toSorted((a, b) => a - b), busy, chunks: sent, problems };
}
