// What is written behind a policy's name: its value, then options, as in `own:0.8:stable=2`.

import { ConfigError } from "../base/errors.ts";

export type Written = {
  readonly value: string | undefined;
  readonly options: { readonly [Name in string]?: string };
};

const option = /^(.*?)(?:^|:)([a-z]+)=([^:=]*)$/s;

const knownIn = (text: string, known: readonly string[]): string =>
  known.length === 0 ? `${text.split(":", 1)[0]} takes none` : `there are ${known.join(", ")}`;

/**
 * Splits `0.8:stable=2` into a value and options. Throws a ConfigError for an option that is not known, given twice or empty.
 */
function splitOptions(
  rest: string | undefined,
  known: readonly string[],
  { place, text }: { readonly place: string; readonly text: string },
): Written {
  const options: Record<string, string> = {};
  let value = rest;
  while (value !== undefined) {
    const [, before, name = "", given = ""] = option.exec(value) ?? [];
    if (before === undefined) break;
    if (!known.includes(name))
      throw new ConfigError(`${place} ${text}`, `there is no option "${name}"; ${knownIn(text, known)}`);
    if (options[name] !== undefined) throw new ConfigError(`${place} ${text}`, `"${name}" is there twice`);
    if (given === "") throw new ConfigError(`${place} ${text}`, `${name} lacks its value`);
    options[name] = given;
    value = before === "" ? undefined : before;
  }
  return { value, options };
}

type Whole = { readonly place: string; readonly text: string; readonly literal: boolean };

/** A value and its options; what is written between slashes is a value, whatever signs it has. */
export function writtenIn(rest: string | undefined, known: readonly string[], { literal, ...whole }: Whole): Written {
  const end = literal && rest !== undefined ? rest.lastIndexOf("/") + 1 : 0;
  const { value, options } = splitOptions(rest?.slice(end), known, whole);
  const before = rest?.slice(0, end) ?? "";
  return { value: before === "" ? value : `${before}${value ?? ""}`, options };
}
