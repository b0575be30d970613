// The page as one file: scripts, styles and data in it, and nothing fetched from anywhere.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { ConfigError } from "../base/errors.ts";
import type { Price } from "../core/usage.ts";
import type { Findings } from "../eval/findings.ts";
import { findingsTree } from "./findings-tree.ts";
import { htmlOf, htmlText } from "./tree.ts";
import type { PageData, ResultLine, ViewTrace } from "./data.ts";

/** What a page shows. */
export type PageOptions = {
  readonly traces: readonly ViewTrace[];
  /** Default: the names of the traces. */
  readonly title?: string | undefined;
  /** Per million tokens, by a model's id. */
  readonly prices?: Readonly<Record<string, Price>> | undefined;
  /** An evaluation's results, to be plotted. */
  readonly results?: readonly ResultLine[] | undefined;
  /** What experiments came to; their text and tables can be read without JavaScript. */
  readonly findings?: readonly Findings[] | undefined;
};

/** One self-contained HTML file that shows the traces. Throws ConfigError where the viewer was not built. */
export function page({ traces, title, prices = {}, results = [], findings = [] }: PageOptions): string {
  const names = [...findings.map((one) => one.title), ...traces.map(({ name }) => name)];
  return html({ title: title ?? (names.join(", ") || "Duplex"), traces, prices, results, findings, live: false });
}

/** What `findingsPage` may be told. */
export type FindingsPageOptions = Pick<PageOptions, "title">;

/**
 * What an experiment came to as one self-contained HTML file: text, tables, and figures that are drawn by its own script;
 * without JavaScript all but the drawings can be read. Rejects with a ConfigError where the viewer was not built.
 */
export const findingsPage = async (findings: Findings, { title }: FindingsPageOptions = {}): Promise<string> =>
  page({ traces: [], findings: [findings], title });

/** What `viewerPage` may be told. */
export type ViewerPageOptions = Pick<PageOptions, "title" | "prices">;

/**
 * The page a server has at `/`: it reads the list of runs from `runs`, follows one from `runs/ID/events` (SSE, a RunEvent
 * each) and raises hands by POST to `runs/ID/interrupt`, all beside its own address.
 */
export function viewerPage({ title = "Duplex", prices = {} }: ViewerPageOptions = {}): string {
  return html({ title, traces: [], prices, results: [], findings: [], live: true });
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
<title>${htmlText(data.title)}</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
<div id="app">${still(data)}</div>
<noscript>This page draws its pictures with JavaScript, which is switched off here.</noscript>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

/** What can be read without JavaScript. */
function still({ findings }: PageData): string {
  if (findings.length === 0) return "";
  const articles = findings.map((one, index) =>
    htmlOf(findingsTree(one, { first: index === 0, prefix: index === 0 ? "" : `${index + 1}-` })),
  );
  return `<main>${articles.join("")}</main>`;
}

// Two lanes that overlap in time.
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='1' y='3' width='10' height='4' rx='2' fill='%232b62b8'/%3E%3Crect x='5' y='9' width='10' height='4' rx='2' fill='%23d0432b'/%3E%3C/svg%3E";

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
