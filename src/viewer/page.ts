// The page as one file: scripts, styles and data in it, and nothing fetched from anywhere.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { ConfigError } from "../base/errors.ts";
import type { Price } from "../core/usage.ts";
import type { PageData, ResultLine, ViewTrace } from "./data.ts";

export type PageOptions = {
  readonly traces: readonly ViewTrace[];
  /** Default: the names of the traces. */
  readonly title?: string | undefined;
  /** Per million tokens, by a model's id. */
  readonly prices?: Readonly<Record<string, Price>> | undefined;
  /** An evaluation's results, to be plotted. */
  readonly results?: readonly ResultLine[] | undefined;
};

/** One self-contained HTML file that shows the traces. Throws ConfigError where the viewer was not built. */
export function page({ traces, title, prices = {}, results = [] }: PageOptions): string {
  const named = title ?? (traces.map(({ name }) => name).join(", ") || "Duplex");
  return html({ title: named, traces, prices, results, live: false });
}

/** What `viewerPage` may be told. */
export type ViewerPageOptions = Pick<PageOptions, "title" | "prices">;

/**
 * The page a server has at `/`: it reads the list of runs from `runs`, follows one from `runs/ID/events` (SSE, a RunEvent
 * each) and raises hands by POST to `runs/ID/interrupt`, all beside its own address.
 */
export function viewerPage({ title = "Duplex", prices = {} }: ViewerPageOptions = {}): string {
  return html({ title, traces: [], prices, results: [], live: true });
}

function html(data: PageData): string {
  const { script, style } = bundle();
  const policy = [
    "default-src 'none'",
    `script-src '${hash(script)}'`,
    `style-src '${hash(style)}'`,
    "img-src data:",
    `connect-src ${data.live ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(data.title)}</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<noscript>This page draws a trace with JavaScript, which is switched off here.</noscript>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

// Two lanes that overlap in time.
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='1' y='3' width='10' height='4' rx='2' fill='%232b62b8'/%3E%3Crect x='5' y='9' width='10' height='4' rx='2' fill='%23d0432b'/%3E%3C/svg%3E";

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? "").replaceAll(/\p{Cc}|\p{Cf}/gu, "\ufffd");

const hash = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;

type Bundle = { readonly script: string; readonly style: string };
let built: Bundle | undefined;

function bundle(): Bundle {
  built ??= { script: part("viewer.js"), style: part("viewer.css") };
  return built;
}

/** A closing tag in the bundle would end its element early. */
function part(name: string): string {
  const place = new URL(`./bundle/${name}`, import.meta.url);
  try {
    return readFileSync(place, "utf8")
      .replaceAll(/<\/(script|style)/gi, "<\\/$1")
      .replaceAll("<!--", "<\\!--");
  } catch (error) {
    throw new ConfigError("viewer", `its browser part is missing; run \`npm run build\` (${name})`, { cause: error });
  }
}
