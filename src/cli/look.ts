import type { Io } from "./io.ts";
import type { Look } from "./timeline.ts";

/**
 * How standard output shows text. Color only on a terminal and without NO_COLOR; 80 columns where nobody tells; more than
 * ASCII where the locale is UTF-8, and where output goes to a program and no locale is set.
 */
export function lookOf({ stdout, env }: Pick<Io, "stdout" | "env">): Look {
  const terminal = stdout.isTTY === true;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  const told = Number(env["COLUMNS"]);
  const columns = stdout.columns ?? (Number.isInteger(told) && told > 0 ? told : 80);
  const color = terminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  return { columns: Math.max(20, columns), color, unicode: /utf-?8/i.test(locale) || (!terminal && locale === "") };
}
