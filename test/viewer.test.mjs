import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { chainOfFour, cutDialogue } from "../docs/images/runs.mjs";
import { page as pageOf } from "../dist/viewer/index.js";
import { ensureBundle, openBrowser, skip, violations } from "./viewer-browser.mjs";

const price = { currency: "USD", input: 0.4, cached: 0.1, output: 1.6 };
const clockOf = (page) => page.getByRole("slider", { name: "Time" });
const timeOf = async (page) => Number(await clockOf(page).getAttribute("aria-valuenow"));
const wordsOf = (page, agent) => page.getByRole("region", { name: `what ${agent} said` });

describe("the viewer in a browser", { skip }, () => {
  let browser;
  let serial;
  let stream;
  let talk;
  before(async () => {
    ensureBundle();
    [browser, serial, stream, talk] = await Promise.all([
      openBrowser(),
      chainOfFour("serial"),
      chainOfFour("stream"),
      cutDialogue(),
    ]);
  });
  after(() => browser?.close());

  const both = () => [
    { name: "serial", events: serial },
    { name: "stream", events: stream },
  ];
  const dialogue = () => [{ name: "dialogue", events: talk }];

  test("two traces stand on one axis of time, with what they took", async () => {
    const { page, problems } = await browser.show(pageOf({ traces: both(), prices: { simulated: price } }));
    await page.waitForSelector("canvas");
    assert.equal(await page.locator("canvas").count(), 2);
    assert.match(
      await page.getByRole("region", { name: "run stream" }).innerText(),
      /against serial\s+1\.9\d× as fast/,
    );
    assert.match(
      await page.getByRole("region", { name: "run serial" }).innerText(),
      /calls\s+4\s[^]*cost\s+\$0\.00\d+/,
    );
    const painted = await page.locator("canvas").evaluateAll((all) =>
      all.map((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.some((value) => value !== 0);
      }),
    );
    assert.deepEqual(painted, [true, true]);
    await page.getByRole("button", { name: "serial" }).first().click();
    assert.equal(await page.locator("canvas").count(), 1);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("dragging moves the cursor, and words and numbers go with it", async () => {
    const { page, problems } = await browser.show(pageOf({ traces: dialogue() }));
    await wordsOf(page, "engineer").getByText("That is enough").waitFor();
    const box = await page.locator("canvas").boundingBox();
    const x = (at) => box.x + (at / talk.at(-1).at) * box.width;
    await page.mouse.move(x(1000), box.y + 10);
    await page.mouse.down();
    assert.ok(Math.abs((await timeOf(page)) - 1000) < 30);
    assert.match(await wordsOf(page, "reporter").innerText(), /^The nightly build/);
    assert.equal(await wordsOf(page, "engineer").innerText(), "");
    await page.mouse.move(x(9000), box.y + 30, { steps: 5 });
    await page.mouse.up();
    assert.match(await wordsOf(page, "reporter").innerText(), /cut by engineer\s+34 tokens were made and never said/);
    assert.match(await wordsOf(page, "engineer").innerText(), /^That is enough/);
    assert.match(await page.getByRole("region", { name: "run dialogue" }).innerText(), /never said\s+34/);
    await page.mouse.move(x(2000), box.y + 30);
    assert.ok(Math.abs((await timeOf(page)) - 9000) < 30);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("the keyboard plays, moves, goes from step to step and picks agents out", async () => {
    const { page, problems } = await browser.show(pageOf({ traces: dialogue() }), { hash: "#t=0&speed=64" });
    await page.keyboard.press(".");
    assert.equal(await timeOf(page), 5760);
    await page.keyboard.press(",");
    assert.equal(await timeOf(page), 0);
    await page.keyboard.press("ArrowRight");
    assert.equal(await timeOf(page), Math.round(talk.at(-1).at * 0.01));
    await page.keyboard.press("End");
    assert.equal(await timeOf(page), talk.at(-1).at);
    await wordsOf(page, "engineer").getByText("That is enough").waitFor();
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.getByRole("button", { name: "reporter" }).getAttribute("aria-pressed"), "true");
    assert.match(await clockOf(page).getAttribute("aria-valuetext"), /15\.10 s\. reporter ended$/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("[");
    assert.equal(await page.getByLabel("Speed").inputValue(), "16");
    await page.keyboard.press("]");
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.getByRole("button", { name: "Play" }).waitFor();
    assert.equal(await timeOf(page), talk.at(-1).at);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("an address keeps the place: time, agent, speed and runs", async () => {
    const { page, problems } = await browser.show(pageOf({ traces: both() }), {
      hash: "#t=3000&agent=checker&speed=2&runs=2",
    });
    assert.equal(await timeOf(page), 3000);
    assert.equal(await page.locator("canvas").count(), 1);
    assert.equal(await page.getByLabel("Speed").inputValue(), "2");
    assert.equal(await page.getByRole("button", { name: "checker" }).getAttribute("aria-pressed"), "true");
    await page.keyboard.press("Home");
    await page.waitForFunction(() => location.hash === "#t=0&agent=checker&speed=2&runs=2");
    await page.evaluate(() => (location.hash = "#t=4000&agent=editor"));
    await page.waitForFunction(() => document.querySelector("[role=slider]").getAttribute("aria-valuenow") === "4000");
    assert.equal(await page.getByRole("button", { name: "editor" }).getAttribute("aria-pressed"), "true");
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("a hostile trace is text and nothing else", async () => {
    const evil = [
      "</script><script>globalThis.taken = 1</script>",
      "<img src=x onerror='globalThis.taken = 2'>",
      "\u001b[31mred\u001b]0;title\u0007",
      "\u202egnp.exe\u2066",
      "__proto__",
    ];
    const said = [];
    for (const [index, agent] of evil.entries()) {
      const usage = { calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: 1 };
      said.push(
        { type: "turn-start", at: index, agent, seq: 0, turn: 0, heard: [] },
        { type: "chunk", at: index + 1, agent, seq: 1, turn: 0, text: evil.join("\n") },
        { type: "step", at: index + 1, agent, seq: 2, turn: 0, index: 0, text: evil.join("\n") },
        { type: "interrupt", at: index + 1, agent, seq: 3, turn: 0, by: evil[1], reason: evil[2] },
        { type: "turn-end", at: index + 1, agent, seq: 4, turn: 0, reason: "interrupted", usage },
      );
    }
    const start = {
      ...stream[0],
      task: evil.join(" "),
      agents: evil.map((id) => ({ id, model: id })),
      edges: [[evil[0], evil[4]]],
    };
    const events = [start, ...said.toSorted((a, b) => a.at - b.at)];
    const html = pageOf({ traces: [{ name: evil[0], events, problem: evil[1] }], title: evil[0] });
    const { page, problems } = await browser.show(html);
    await page.waitForSelector("canvas");
    assert.equal(await page.evaluate(() => globalThis.taken), undefined);
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.locator("script").count(), 2);
    await page.locator(".text").first().getByText("onerror").first().waitFor();
    const text = await page.locator("body").innerText();
    const hidden = [...text].filter((character) => !"\n\t".includes(character) && /[\p{Cc}\p{Cf}]/u.test(character));
    assert.deepEqual(hidden, []);
    assert.match(text, /␛\[31mred/);
    assert.match(text, /⟨U\+202E⟩gnp\.exe/);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("files dropped on the page are read, and what is wrong with them is told", async () => {
    const { page, problems } = await browser.show(pageOf({ traces: [] }));
    const lines = (events) => events.map((event) => JSON.stringify(event)).join("\n");
    const drop = (name, text) =>
      page.evaluate(
        ([file, body]) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([body], file));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        },
        [name, text],
      );
    const status = page.getByRole("status");
    await drop("old.jsonl", lines([{ ...talk[0], version: 7 }]));
    await status.getByText("old.jsonl: line 1: version: this trace has version 7").waitFor();
    await drop("torn.jsonl", `${lines(talk.slice(0, 40))}\n{"type":"chu`);
    await status.getByText("torn.jsonl: line 41: this line was cut short and is left out").waitFor();
    await wordsOf(page, "reporter").getByText("The nightly build").waitFor();
    await drop("two.jsonl", `${lines(serial)}\n${lines(stream)}`);
    await page.getByRole("region", { name: "run stream" }).waitFor();
    await status.filter({ hasText: /^$/ }).waitFor({ state: "attached" });
    assert.equal(await page.locator("canvas").count(), 2);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("an evaluation's results are plotted, and stand in a table", async () => {
    const row = (policy, success, ratio) => ({
      task: "report",
      policy,
      runs: 60,
      success,
      successCI: [success - 0.08, success + 0.06],
      costVsNever: ratio,
      costVsNeverCI: [ratio - 0.05, ratio + 0.04],
      cost: { spoken: 300 * ratio, overrun: 10, decisions: policy === "never" ? 0 : 20, replies: 8, total: 338 },
      simulated: true,
    });
    const results = [row("never", 0.82, 1), row("yesNo", 0.84, 0.7), row("<b>own</b>", 0.9, 0.52)];
    const { page, problems } = await browser.show(pageOf({ traces: [], results }));
    await page.locator("figure svg").nth(1).waitFor();
    assert.match(
      await page.locator("tbody").innerText(),
      /<b>own<\/b>\s+90 % \(82 % to 96 %\)\s+52 % \(47 % to 56 %\)/,
    );
    assert.ok((await page.locator("figure svg").first().locator("circle").count()) === 3);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(problems, []);
    await page.close();
  });

  for (const colorScheme of ["light", "dark"])
    for (const [device, width, height] of [
      ["a desktop", 1280, 800],
      ["a phone", 390, 844],
    ])
      test(`no accessibility violation on ${device}, ${colorScheme}`, async () => {
        const traces = [...both(), ...dialogue()].map((trace) => ({ ...trace, problem: "line 9 was cut short" }));
        const { page, problems } = await browser.show(pageOf({ traces }), {
          colorScheme,
          width,
          height,
          hash: "#t=6000&agent=reporter&runs=1-2-3",
        });
        await page.locator("canvas").nth(2).waitFor();
        assert.deepEqual(await violations(page), []);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${wide} px wider than the screen`);
        assert.deepEqual(problems, []);
        await page.close();
      });
});
