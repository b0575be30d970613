import type { Cost } from "../core/usage.ts";
import type { Failure, Usage } from "../core/types.ts";
import type { Account } from "./account.ts";
import { digest } from "./split.ts";
import type { Sample } from "./task.ts";

/** What came of one sample under one policy, as JSON. */
export type Result = Account & {
  readonly sample: string;
  /** Stands for all that the sample says, so that a result is never taken for that of another. */
  readonly of: string;
  /** From 0. */
  readonly repeat: number;
  readonly policy: string;
  /** Absent where the conversation failed: then nothing was scored. */
  readonly success?: 0 | 1 | undefined;
  readonly answer?: string | undefined;
  /** What the role that answers said last, its first 300 characters. */
  readonly reply?: string | undefined;
  /** One line that says why. */
  readonly detail: string;
  readonly failure?: Failure | undefined;
  /** Absent where a price is missing. */
  readonly money?: Pick<Cost, "currency" | "amount"> | undefined;
  /** Everything that was generated and read to get this result: more than its usage where many cuts were tried. */
  readonly spent: Usage;
  readonly simulated?: true | undefined;
};

/** Names one result among those of an evaluation. */
export const keyOf = ({ sample, repeat, policy }: Pick<Result, "sample" | "repeat" | "policy">): string =>
  JSON.stringify([sample, repeat, policy]);

/** What a result is of: sixteen hexadecimal digits that change with anything the sample says. */
export const contentOf = (sample: Sample): string => digest(JSON.stringify(sample));
