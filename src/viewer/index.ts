// Traces in a browser.

export { hostPage, openInBrowser } from "./host.ts";
export type { Env, Hosted } from "./host.ts";
export { namedRuns } from "./names.ts";
export type { RunsOf } from "./names.ts";
export { findingsPage, page, viewerPage } from "./page.ts";
export type { FindingsPageOptions, PageOptions, ViewerPageOptions } from "./page.ts";
export type { Findings } from "../eval/findings.ts";
export type { PageData, ResultLine, ViewTrace } from "./data.ts";
export { looksLikeResults, parseResults } from "./results.ts";
export { looksLikeFindings, parseFindings } from "./findings.ts";
export { journalResults, looksLikeJournal } from "./journal.ts";
