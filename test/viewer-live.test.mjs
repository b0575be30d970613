import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { chainOfFour } from "../docs/images/runs.mjs";
import { ensureBundle, openBrowser, skip, violations } from "./viewer-browser.mjs";
import { measureLive, runServer } from "./viewer-speed.mjs";

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

  test("64 agents at 5,000 chunks a second leave the page a third of a processor", async (context) => {
    const { behind, busy, problems } = await measureLive(browser, context, 2500);
    context.diagnostic(`busy for ${(100 * busy).toFixed(0)} % of the time, behind by up to ${behind.at(-1)} ms`);
    // How far behind it is depends on what else the machine does; that it keeps up is that it need not work all the time.
    assert.ok(busy <= 0.67, `busy for ${busy} of the time`);
    assert.deepEqual(problems, []);
  });
});
