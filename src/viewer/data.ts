// What a page is given: the traces it shows, and what their models take.

import type { RunEvent } from "../core/types.ts";
import type { Price } from "../core/usage.ts";
import type { Findings } from "../eval/findings.ts";

/** One run to show, under the name it is told by; `problem`: what could not be read of it. */
export type ViewTrace = {
  readonly name: string;
  readonly events: readonly RunEvent[];
  readonly problem?: string | undefined;
};

/** One line of an evaluation's results, as `duplex eval --json` writes it. */
export type ResultLine = Readonly<Record<string, unknown>>;

/** Everything a page shows. */
export type PageData = {
  readonly title: string;
  readonly traces: readonly ViewTrace[];
  /** By a model's id; models that are not here are shown without money. */
  readonly prices: Readonly<Record<string, Price>>;
  readonly results: readonly ResultLine[];
  readonly findings: readonly Findings[];
  /** The page asks the server it came from for its runs, and follows one. */
  readonly live: boolean;
};
