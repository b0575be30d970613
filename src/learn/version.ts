// Which Duplex this is, for the provenance of what it makes.

import { readFileSync } from "node:fs";

let known: string | undefined;

/** The version in the package's own manifest, the nearest one above this file. */
export function duplexVersion(): string {
  if (known !== undefined) return known;
  for (let folder = new URL("..", import.meta.url); ; folder = new URL("..", folder)) {
    const text = textOf(new URL("package.json", folder));
    if (text !== undefined) return (known = (JSON.parse(text) as { readonly version: string }).version);
    if (folder.pathname === "/") return (known = "unknown");
  }
}

function textOf(url: URL): string | undefined {
  try {
    return readFileSync(url, "utf8");
  } catch {
    return undefined;
  }
}
