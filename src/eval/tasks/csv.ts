import { ConfigError } from "../../base/errors.ts";

export type CsvRow = {
  /** The line of the file on which the row begins, from 1. */
  readonly line: number;
  readonly fields: Readonly<Record<string, string>>;
};

type Cells = { readonly line: number; readonly cells: string[] };

// A quoted cell, or a bare one, and what ends it.
const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

function cellsOf(text: string, path: string): Cells[] {
  const rows: Cells[] = [];
  let line = 1;
  let row: Cells = { line, cells: [] };
  let at = 0;
  while (at < text.length) {
    cell.lastIndex = at;
    const found = cell.exec(text);
    if (found === null)
      throw new ConfigError(`${path}:${line}`, `cell ${row.cells.length + 1}: has a stray or unclosed quote`);
    const [whole, quoted, bare = "", end] = found;
    row.cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    line += whole.match(/\r\n|\n|\r/g)?.length ?? 0;
    at += whole.length;
    if (end === ",") {
      if (at === text.length) row.cells.push("");
    } else {
      rows.push(row);
      row = { line, cells: [] };
    }
  }
  if (row.cells.length > 0) rows.push(row);
  return rows.filter(({ cells }) => cells.length > 1 || cells[0] !== "");
}

/**
 * Rows of a comma-separated file (RFC 4180) by the names in its first line; cells may be quoted and span lines. Throws a
 * `ConfigError` that names the line.
 */
export function parseCsv(text: string, path: string): CsvRow[] {
  const [head, ...rows] = cellsOf(text, path);
  if (head === undefined) return [];
  return rows.map(({ line, cells }) => {
    if (cells.length !== head.cells.length) {
      throw new ConfigError(
        `${path}:${line}`,
        `has ${cells.length} cells where the first line names ${head.cells.length}`,
      );
    }
    return { line, fields: Object.fromEntries(head.cells.map((name, index) => [name.trim(), cells[index] ?? ""])) };
  });
}
