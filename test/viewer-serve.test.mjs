import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { simulated } from "../dist/models/index.js";
import { readyTeams, serve } from "../dist/server/index.js";
import { viewerPage } from "../dist/viewer/index.js";
import { ensureBundle, openBrowser, skip } from "./viewer-browser.mjs";

describe("the viewer at a Duplex server", { skip }, () => {
  test("a person gives a team a task, follows the run, cuts the speaker, and gives the floor back", async (context) => {
    ensureBundle();
    const [server, browser] = await Promise.all([
      serve({
        teams: readyTeams(simulated({ ttft: 20, decode: 40, steps: 30 })),
        keys: ["the-right-key"],
        page: viewerPage,
      }),
      openBrowser(),
    ]);
    context.after(() => Promise.all([browser.close(), server.close({ deadlineMs: 0 })]));
    const { page, problems } = await browser.visit(server.url);
    await page.getByLabel("The server's key").fill("the-right-key");
    await page.keyboard.press("Enter");
    await page.getByLabel("Team").selectOption("chain");
    await page.getByLabel("Task").fill("<i>How many minutes are in 3.5 days?</i>");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "<i>How many minutes are in 3.5 days?</i>" }).waitFor();
    const words = page.getByRole("region", { name: "what solver said" });
    await words.getByText("Step 1").waitFor();
    await page.getByRole("button", { name: "Raise a hand: interrupt solver" }).click();
    await words.getByText("cut by a person").waitFor();
    await page.getByRole("button", { name: "Give the floor back to solver" }).click();
    await words.getByText("goes on", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Raise a hand: interrupt solver" }).waitFor();
    assert.deepEqual(
      problems.filter((problem) => !problem.includes("401")),
      [],
    );
  });
});
