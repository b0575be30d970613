// What is written behind a policy's name: its value, then options, as in `own:0.8:stable=2`.

import { ConfigError } from "../base/errors.ts";

export type Written = {
  readonly value: string | undefined;
  readonly options: { readonly [Name in string]?: string };
};

const option = /^(.*?)(?:^|:)([a-z]+)=([^:=]*)$/s;

/**
 * Splits `0.8:stable=2` into a value and options. A policy that knows no options has all of it as its value. Throws a
 * ConfigError for an option that is not known, given twice or empty.
 */
export function splitOptions(
  rest: string | undefined,
  known: readonly string[],
  { place, text }: { readonly place: string; readonly text: string },
): Written {
  const options: Record<string, string> = {};
  let value = rest;
  while (value !== undefined && known.length > 0) {
    const [, before, name = "", given = ""] = option.exec(value) ?? [];
    if (before === undefined) break;
    if (!known.includes(name))
      throw new ConfigError(place, `"${text}": there is no option "${name}"; there are ${known.join(", ")}`);
    if (options[name] !== undefined) throw new ConfigError(place, `"${text}": "${name}" is there twice`);
    if (given === "") throw new ConfigError(place, `"${text}": ${name} lacks its value`);
    options[name] = given;
    value = before === "" ? undefined : before;
  }
  return { value, options };
}
