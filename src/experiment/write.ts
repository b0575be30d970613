// The findings as files: for programs, for a repository, for a browser.

import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Findings } from "../eval/findings.ts";
import { findingsLines, findingsMarkdown } from "../eval/findings-markdown.ts";

/** Makes a self-contained HTML page of findings; undefined where there can be none. */
export type PageOf = (findings: Findings) => Promise<string | undefined>;

/** The files of a report; the page only where somebody makes pages. */
export const reportFiles = ["findings.json", "report.md", "report.jsonl", "report.html"] as const;

/** Writes the report into a folder that is there; a file is replaced whole or not at all. */
export async function writeReport(folder: string, findings: Findings, pageOf?: PageOf): Promise<void> {
  const html = await pageOf?.(findings);
  const page = html === undefined ? [] : [["report.html", html] as const];
  const files = [
    ["findings.json", `${JSON.stringify(findings, undefined, 1)}\n`],
    ["report.md", findingsMarkdown(findings)],
    ["report.jsonl", findingsLines(findings)],
    ...page,
  ] as const;
  for (const [name, text] of files) {
    const path = join(folder, name);
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  }
}
