// The rows of a published file: parquet, JSONL, JSON or CSV, one after another, each with its place for error messages.
import { createReadStream } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { extname } from "node:path";
import { createInterface } from "node:readline";
import { ConfigError, explain } from "../../base/errors.ts";
import { parseCsv } from "../tasks/csv.ts";

/** One row: `place` names the file and its line, or its index from 0 where the file has no lines. */
export type Row = { readonly place: string; readonly fields: Readonly<Record<string, unknown>> };

/** The forms that files of rows come in. */
export type RowsFormat = "parquet" | "jsonl" | "json" | "csv";

export type RowsOptions = {
  /** Only these columns of a parquet file are read; default all. Those the file lacks are left out. */
  readonly columns?: readonly string[] | undefined;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(place, `is not valid JSON (${(error as Error).message})`);
  }
}

function rowOf(value: unknown, place: string): Row {
  if (!isRecord(value)) throw new ConfigError(place, "must be an object with the fields of one question");
  // Exports of a data set viewer wrap each row once more.
  return { place, fields: isRecord(value["row"]) ? value["row"] : value };
}

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, "");

function jsonRows(text: string, path: string): Row[] {
  const whole = parsed(text, path);
  const list = isRecord(whole) ? (whole["rows"] ?? whole["data"] ?? whole["questions"]) : whole;
  if (!Array.isArray(list)) {
    throw new ConfigError(path, "must be a list of questions, or an object with a list in rows");
  }
  return list.map((value: unknown, index) => rowOf(value, `${path}[${index}]`));
}

/** The rows of a text in one of the forms that are text. Throws a `ConfigError` that names the line or index. */
export function parseRows(source: string, path: string, format: Exclude<RowsFormat, "parquet">): Row[] {
  const text = withoutMark(source);
  if (format === "csv") {
    return parseCsv(text, path).map(({ line, fields }) => ({ place: `${path}:${line}`, fields }));
  }
  if (format === "json") return jsonRows(text, path);
  return text.split(/\r?\n/).flatMap((line, index) => {
    const place = `${path}:${index + 1}`;
    return line.trim() === "" ? [] : [rowOf(parsed(line, place), place)];
  });
}

/** The form of a file, by its ending. Throws a `ConfigError` for endings that are none of them. */
export function formatOf(path: string): RowsFormat {
  const ending = extname(path).slice(1).toLowerCase();
  if (ending === "ndjson") return "jsonl";
  if (ending === "parquet" || ending === "jsonl" || ending === "json" || ending === "csv") return ending;
  throw new ConfigError(path, "must end in .parquet, .jsonl, .json or .csv; convert other formats first");
}

/** Parquet's 64-bit integers as numbers where they are exact, its bytes as text: what the other forms would give. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (Array.isArray(value)) return value.map(plain);
  if (isRecord(value) && !(value instanceof Date)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
  }
  return value;
}

const bufferOf = (file: FileHandle, byteLength: number) => ({
  byteLength,
  async slice(start: number, end = byteLength): Promise<ArrayBuffer> {
    const bytes = new ArrayBuffer(end - start);
    let filled = 0;
    while (filled < bytes.byteLength) {
      const { bytesRead } = await file.read(new Uint8Array(bytes, filled), { position: start + filled });
      if (bytesRead === 0) throw new Error("the file ends too early");
      filled += bytesRead;
    }
    return bytes;
  },
});

// A row group at a time would be as good; row groups of published files hold up to 1000 rows.
const atOnce = 1000;

async function* parquetRows(path: string, { columns }: RowsOptions): AsyncGenerator<Row> {
  // Loaded when first needed: most programs read no parquet.
  const { parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import("hyparquet");
  const { compressors } = await import("hyparquet-compressors");
  const handle = await open(path);
  try {
    const file = bufferOf(handle, (await handle.stat()).size);
    const metadata = await parquetMetadataAsync(file);
    const there = parquetSchema(metadata).children.map(({ element }) => element.name);
    const wanted = columns === undefined ? there : there.filter((name) => columns.includes(name));
    const total = Number(metadata.num_rows);
    for (let start = 0; start < total; start += atOnce) {
      const end = Math.min(start + atOnce, total);
      const rows = await parquetReadObjects({
        file,
        metadata,
        compressors,
        columns: wanted,
        rowStart: start,
        rowEnd: end,
      });
      for (const [index, fields] of rows.entries()) {
        yield { place: `${path}[${start + index}]`, fields: plain(fields) as Record<string, unknown> };
      }
    }
  } catch (error) {
    throw new ConfigError(path, `is not a parquet file that can be read (${explain(error)})`, { cause: error });
  } finally {
    await handle.close();
  }
}

async function* jsonlRows(path: string): AsyncGenerator<Row> {
  // Line by line: a published file may be larger than the longest possible text.
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  let number = 0;
  for await (const line of lines) {
    const place = `${path}:${++number}`;
    const text = number === 1 ? withoutMark(line) : line;
    if (text.trim() !== "") yield rowOf(parsed(text, place), place);
  }
}

async function checkFile(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    throw new ConfigError(path, "cannot be read", { cause: error });
  });
  if (!found.isFile()) throw new ConfigError(path, "is not a file");
}

/** The rows of a file, by its ending. Rejects with a `ConfigError` that names the file and the line or index. */
export async function* readRows(path: string, options: RowsOptions = {}): AsyncGenerator<Row> {
  const format = formatOf(path);
  await checkFile(path);
  if (format === "parquet") yield* parquetRows(path, options);
  else if (format === "jsonl") yield* jsonlRows(path);
  else yield* parseRows(await readFile(path, "utf8"), path, format);
}
