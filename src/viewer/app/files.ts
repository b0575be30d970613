// Traces that somebody drops on the page.

import { explain } from "../../base/errors.ts";
import { readTrace } from "../../core/trace.ts";
import { namedRuns } from "../names.ts";
import type { RunsOf } from "../names.ts";
import { looksLikeFindings, parseFindings } from "../findings.ts";
import { looksLikeResults, parseResults } from "../results.ts";
import { plainName } from "../plain.ts";
import { open, runView } from "./state.ts";
import type { State } from "./state.ts";

/** Shows the runs in these files, and tells what could not be read. Nothing is sent anywhere. */
export async function openFiles(state: State, files: readonly File[]): Promise<void> {
  const read: RunsOf[] = [];
  const problems: string[] = [];
  for (const file of files) {
    state.message.set(`Reading ${plainName(file.name)}…`);
    try {
      const head = await file.slice(0, 65_536).text();
      if (looksLikeFindings(head)) {
        state.findings.set(parseFindings(await file.text()));
        continue;
      }
      if (looksLikeResults(head)) {
        const { results, odd } = parseResults(await file.text());
        state.results.set(results);
        if (odd > 0) problems.push(`${plainName(file.name)}: lines that are no results are left out: ${odd}`);
        continue;
      }
      const { runs, torn, problem } = await readTrace(text(file));
      for (const error of problem === undefined ? torn : [problem])
        problems.push(`${plainName(file.name)}: ${error.message}`);
      read.push({ file: file.name, runs });
    } catch (error) {
      problems.push(`${plainName(file.name)}: ${explain(error)}`);
    }
  }
  const traces = namedRuns(read);
  if (traces.length > 0) {
    open(
      state,
      traces.map((trace) => runView(trace)),
    );
  }
  state.message.set(problems.join("\n"));
}

async function* text(file: File): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = file.stream().getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    yield decoder.decode(part.value, { stream: true });
  yield decoder.decode();
}

/** Files may be dropped anywhere on the page. */
export function takeDrops(state: State): void {
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) void openFiles(state, files);
  });
}
