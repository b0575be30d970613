import { kindsOfPlace } from "./kinds-place.ts";
import { kindsOfWork } from "./kinds-work.ts";
import type { MakeValue } from "./values.ts";

/** A kind of fact. In a wording `{}` stands for the value; a wording counts as heard once it has been said whole. */
export type Kind = {
  readonly id: string;
  readonly value: MakeValue;
  /** Other right forms of a value. */
  readonly also?: (value: string) => readonly string[];
  readonly wordings: readonly string[];
  readonly questions: readonly string[];
};

/** All kinds of fact; no two of them could answer the same question. */
export const kinds: readonly Kind[] = [...kindsOfWork, ...kindsOfPlace];
