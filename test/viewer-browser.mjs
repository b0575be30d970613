// A real browser for the viewer's tests, where there is one, and what they all look for.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser's path; absent where none is installed. */
export const browserPath = [process.env["DUPLEX_CHROMIUM"], ...known].find((path) => path && existsSync(path));
/** What a test of a browser is skipped with. */
export const skip = browserPath === undefined ? "no Chromium on this machine" : false;

/** The viewer's browser part, built where it is missing or older than its source. */
export function ensureBundle() {
  const bundle = join(root, "dist/viewer/bundle/viewer.js");
  const app = join(root, "src/viewer");
  const newest = Math.max(
    ...readdirSync(app, { recursive: true, encoding: "utf8" }).map((file) => statSync(join(app, file)).mtimeMs),
  );
  if (existsSync(bundle) && statSync(bundle).mtimeMs >= newest) return;
  const vite = join(root, "node_modules/.bin/vite");
  const { status, stderr } = spawnSync(vite, ["build", "-c", join(app, "app/vite.config.mjs")], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
}

const flags = [
  "--no-sandbox",
  "--headless=new",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser, and pages that remember what went wrong in them. */
export async function openBrowser() {
  const folder = mkdtempSync(join(tmpdir(), "duplex-viewer-"));
  const browser = await chromium.launch({ executablePath: browserPath, args: flags });
  let files = 0;
  return {
    async show(html, { hash = "", ...options } = {}) {
      const file = join(folder, `${files++}.html`);
      writeFileSync(file, html);
      return this.visit(pathToFileURL(file).href + hash, options);
    },
    async visit(url, { width = 1280, height = 800, before, ...more } = {}) {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme: "light", ...more });
      const problems = [];
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
      });
      page.on("pageerror", (error) => problems.push(error.message));
      await before?.(page);
      await page.goto(url);
      return { page, problems };
    },
    folder,
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const axe = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8");

/** What axe finds wrong with a page, in a line each. */
export async function violations(page) {
  await page.evaluate(axe);
  const { violations: found } = await page.evaluate(() => globalThis.axe.run());
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}
