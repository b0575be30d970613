import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { findingsPage, looksLikeFindings, parseFindings } from "../dist/viewer/index.js";
import { findingsSample } from "../docs/images/runs.mjs";
import { ensureBundle, openBrowser, skip, violations } from "./viewer-browser.mjs";

const simple = (changes = {}) => ({
  title: "T",
  simulated: false,
  command: "duplex experiment t",
  provenance: { seed: 1 },
  sections: [],
  ...changes,
});

const figure = (changes = {}) => ({
  kind: "line",
  title: "F",
  x: { label: "steps" },
  y: { label: "seconds" },
  series: [{ name: "ours", points: [{ x: 1, y: 2 }] }],
  ...changes,
});

const within = (figures) => simple({ sections: [{ title: "S", figures }] });

test("findings are told from traces and results, on one line and on many", () => {
  for (const text of [
    JSON.stringify(simple()),
    JSON.stringify(simple(), undefined, 2),
    `\n${JSON.stringify(simple())}\n`,
  ])
    assert.equal(looksLikeFindings(text.slice(0, 200)), true, text);
  for (const text of ["", "[]", '{"type":"run-start"}', '{"policy":"never","cost":{}}', '{"title":"x"}', "title"])
    assert.equal(looksLikeFindings(text), false, text);
  assert.equal(parseFindings(`${JSON.stringify(simple())}\n${JSON.stringify(simple({ title: "U" }))}\n`)[1].title, "U");
});

test("findings that are none are refused, and the place is named", () => {
  const refused = (value, place) => assert.throws(() => parseFindings(JSON.stringify(value)), place);
  refused(simple({ title: 3 }), /title: these are no findings: text is expected/);
  refused(simple({ provenance: { a: {} } }), /provenance\.a: .*text or a number/);
  refused(within([figure({ kind: "pie" })]), /sections\[0\]\.figures\[0\]\.kind: .*line, scatter or bar/);
  refused(within([figure({ series: [{ name: "n", points: [{ x: 1 }] }] })]), /series\[0\]\.points\[0\]\.y: .*a number/);
  refused(simple({ sections: [{ title: "S", tables: [{ columns: ["a"], rows: ["x"] }] }] }), /rows\[0\]: .*a list/);
  assert.throws(() => parseFindings(`${JSON.stringify(simple())}\n{"torn`), /line 2: is not JSON/);
});

describe("the page of findings in a browser", { skip }, () => {
  let browser;
  before(async () => {
    ensureBundle();
    browser = await openBrowser();
  });
  after(() => browser?.close());

  const drawings = (page, count) =>
    page
      .locator(".drawing svg")
      .nth(count - 1)
      .waitFor();

  test("text, tables and figures stand there, simulated ones marked on the page, each table and each figure", async () => {
    const sample = findingsSample();
    const { page, problems } = await browser.show(await findingsPage(sample));
    const figures = sample.sections.flatMap((section) => section.figures ?? []).length;
    const tables = sample.sections.flatMap((section) => section.tables ?? []).length;
    await drawings(page, figures);
    assert.equal(await page.title(), sample.title);
    await page.getByRole("heading", { level: 1, name: `${sample.title} simulated` }).waitFor();
    assert.equal(await page.locator("figcaption .mark-simulated").count(), figures);
    assert.equal(await page.locator("caption .mark-simulated").count(), tables);
    assert.match(await page.locator(".provenance").innerText(), /duplex experiment[^]*seed\s+7/);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("published numbers are named so, and drawn apart", async () => {
    const ours = { name: "here", points: [1, 2, 3].map((x) => ({ x, y: x * 2, low: x, high: x * 3 })) };
    const theirs = { name: "the paper", published: true, points: [1, 2, 3].map((x) => ({ x, y: x })) };
    const { page, problems } = await browser.show(
      await findingsPage(within(["line", "scatter", "bar"].map((kind) => figure({ kind, series: [ours, theirs] })))),
    );
    await drawings(page, 3);
    assert.deepEqual(await page.locator(".series").first().getByRole("listitem").allInnerTexts(), [
      "●here",
      "△the paper (published)",
    ]);
    assert.equal(await page.locator(".drawing").first().locator("[stroke-dasharray] path").count(), 1);
    assert.equal(await page.locator(".drawing").nth(2).locator("[stroke-dasharray] rect").count(), 3);
    await page.getByText("Numbers of “F”").first().click();
    assert.match(
      await page.locator("details table").first().innerText(),
      /here\s+2\s+4\s+2\s+6[^]*the paper \(published\)\s+1\s+1/,
    );
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("a published series has the color of the one it stands for, and labels do not lie on one another", async () => {
    const points = [1, 2, 3].map((x) => ({ x: 1 + x / 1000, y: 1, label: `place ${x}` }));
    const far = [{ x: 2, y: 2 }];
    const { page, problems } = await browser.show(
      await findingsPage(
        within([
          figure({
            kind: "scatter",
            series: [
              { name: "other", points: far },
              { name: "serial", points },
              { name: "serial", published: true, points: far },
            ],
          }),
        ]),
      ),
    );
    await drawings(page, 1);
    const keys = await page.locator(".series .key").evaluateAll((all) => all.map((key) => key.classList[1]));
    assert.deepEqual(keys, ["series-0", "series-1", "series-1"]);
    const boxes = await page.locator(".drawing text").filter({ hasText: "place" }).all();
    const tops = await Promise.all(boxes.map(async (box) => (await box.boundingBox()).y));
    assert.equal(new Set(tops.map(Math.round)).size, 3);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("what a logarithmic axis cannot show is counted, and nothing at all is drawn as an empty axis", async () => {
    const log = { label: "tokens", log: true };
    const points = [
      { x: 1, y: 0 },
      { x: 10, y: 10, low: -1, high: 100 },
      { x: 100, y: null },
      { x: 1000, y: 1000 },
    ];
    const { page, problems } = await browser.show(
      await findingsPage(
        within([
          figure({ x: log, y: log, series: [{ name: "n", points }] }),
          figure({ kind: "bar", y: log, series: [{ name: "n", points }] }),
          figure({ series: [] }),
          figure({ kind: "bar", series: [] }),
          figure({
            kind: "bar",
            y: log,
            series: [
              { name: "n", points: [] },
              { name: "m", points: [{ x: "a", y: 0 }] },
            ],
          }),
        ]),
      ),
    );
    await drawings(page, 5);
    await page.getByText("Not drawn, since the axes cannot show them: 2").first().waitFor();
    const broken = await page
      .locator(".drawing svg")
      .evaluateAll((all) => all.some((svg) => svg.outerHTML.includes("NaN")));
    assert.equal(broken, false);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("hostile findings are text and nothing else, with JavaScript and without", async () => {
    const evil =
      "</script><script>globalThis.taken = 1</script><img src=x onerror='globalThis.taken = 2'>\u202e\u001b[31m";
    const series = [{ name: evil, points: [{ x: evil, y: 1, label: evil }], published: true }];
    const sections = [
      { title: evil, text: [evil], tables: [{ title: evil, columns: [evil, evil], rows: [[evil, evil]] }] },
      {
        title: evil,
        figures: ["line", "bar"].map((kind) => figure({ kind, title: evil, x: { label: evil }, series })),
      },
      { title: '"><b>' },
    ];
    const html = await findingsPage(
      simple({ title: evil, command: evil, provenance: { [evil]: evil, __proto__: 1 }, simulated: true, sections }),
    );
    assert.doesNotMatch(html.replace(/<script[^]*/, ""), /<img|<b>|\p{Bidi_Control}|(?![\n])\p{Cc}/u);
    const { page, problems } = await browser.show(html);
    await drawings(page, 2);
    assert.equal(await page.evaluate(() => globalThis.taken), undefined);
    assert.equal(await page.locator("img").count(), 0);
    assert.match(await page.locator("body").innerText(), /⟨U\+202E⟩␛\[31m/);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("without JavaScript text, tables and the figures' numbers can be read", async () => {
    const sample = findingsSample();
    const { page, problems } = await browser.show(await findingsPage(sample), { javaScriptEnabled: false });
    await page.getByRole("heading", { level: 1, name: sample.title }).waitFor();
    assert.equal(await page.locator("details table").count(), await page.locator("figure").count());
    await page.getByText("A chain of agents works on one task.").waitFor();
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("a link to a section keeps the place, and the keyboard reaches every table", async () => {
    const sample = findingsSample();
    const { page, problems } = await browser.show(await findingsPage(sample));
    await page.getByRole("link", { name: sample.sections[1].title }).click();
    const hash = await page.evaluate(() => location.hash);
    const again = await browser.show(await findingsPage(sample), { hash });
    const top = await again.page.locator(hash).evaluate((heading) => heading.getBoundingClientRect().top);
    assert.ok(top < 400, `${top}`);
    assert.ok((await again.page.locator(".table[tabindex='0']").count()) > 0);
    assert.deepEqual([...problems, ...again.problems], []);
    await Promise.all([page.close(), again.page.close()]);
  });

  for (const colorScheme of ["light", "dark"])
    for (const [device, width, height] of [
      ["a desktop", 1280, 800],
      ["a phone", 390, 844],
    ])
      test(`no accessibility violation on ${device}, ${colorScheme}`, async () => {
        const sample = findingsSample();
        const { page, problems } = await browser.show(await findingsPage(sample), { colorScheme, width, height });
        await drawings(page, sample.sections.flatMap((section) => section.figures ?? []).length);
        await page.locator("details").evaluateAll((all) => {
          for (const one of all) one.open = true;
        });
        assert.deepEqual(await violations(page), []);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${wide} px wider than the screen`);
        assert.deepEqual(problems, []);
        await page.close();
      });
});
