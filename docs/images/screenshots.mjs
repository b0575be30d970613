// Makes the pictures in this folder: `npm run build`, then `node docs/images/screenshots.mjs`. Needs Chromium.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { findingsPage, page } from "../../dist/viewer/index.js";
import { chainOfFour, cutDialogue, findingsSample } from "./runs.mjs";

const price = { currency: "USD", input: 0.4, cached: 0.1, output: 1.6 };
const [serial, stream, talk] = [await chainOfFour("serial"), await chainOfFour("stream"), await cutDialogue()];
const both = page({
  traces: [
    { name: "serial", events: serial },
    { name: "stream", events: stream },
  ],
  prices: { simulated: price },
});
const dialogue = page({ traces: [{ name: "dialogue", events: talk }], prices: { large: price, small: price } });

const findings = await findingsPage(findingsSample());

const shots = [
  { name: "duplex", html: both, width: 1280, clip: { x: 0, y: 92, width: 1280, height: 720 }, height: 900 },
  {
    name: "duplex-dark",
    html: both,
    width: 1280,
    clip: { x: 0, y: 92, width: 1280, height: 720 },
    height: 900,
    dark: true,
  },
  { name: "viewer-replay", html: both, width: 1280, height: 1130, hash: "#t=4400&agent=checker" },
  { name: "viewer-cut", html: dialogue, width: 1280, height: 690 },
  { name: "viewer-findings", html: findings, width: 1120, height: 1180, until: ".drawing svg" },
  { name: "viewer-phone", html: dialogue, width: 390, height: 844, dark: true, hash: "#t=8600" },
];

const folder = mkdtempSync(join(tmpdir(), "duplex-pictures-"));
const browser = await chromium.launch({
  executablePath: process.env["DUPLEX_CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--headless=new", "--disable-gpu", "--disable-background-networking"],
});
for (const { name, html, width, height, hash = "", dark = false, clip, until = "canvas" } of shots) {
  const colorScheme = dark ? "dark" : "light";
  const tab = await browser.newPage({ viewport: { width, height }, colorScheme });
  writeFileSync(join(folder, `${name}.html`), html);
  await tab.goto(pathToFileURL(join(folder, `${name}.html`)).href + hash);
  await tab.locator(until).first().waitFor();
  await tab.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const path = fileURLToPath(new URL(`${name}.png`, import.meta.url));
  await tab.screenshot({ path, ...(clip === undefined ? {} : { clip }) });
  await tab.close();
}
await browser.close();
rmSync(folder, { recursive: true });
