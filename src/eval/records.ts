// A file of JSON lines that are written as they are made, so that whatever is killed goes on where it was.

import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { ConfigError } from "../base/errors.ts";

/** Everything that must be the same for records to stand side by side. */
export type Identity = Readonly<Record<string, string | number | boolean | null>>;

type Header = { readonly type: string; readonly version: 1; readonly identity: Identity };

const version = 1;

/** A file of records that are kept as they come. */
export type Records<R> = {
  /** What was written before, in order. */
  readonly before: readonly R[];
  /** Resolves once the line is with the operating system: a killed process does not lose it. */
  readonly add: (record: R) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type RecordsOptions<R> = {
  /** The first line names it, so that no other file is taken for one of these. */
  readonly type: string;
  /** What the records are called in errors: `results of an evaluation`. */
  readonly about: string;
  readonly identity: Identity;
  /** A record of a line; throws a `ConfigError` at `place` for a line that is none. */
  readonly read: (value: unknown, place: string) => R;
  /** How the file is called in errors; its path. */
  readonly place?: string | undefined;
};

/**
 * Opens a file of records, or begins one. A last line that was torn is dropped. Throws a `ConfigError` that names what differs
 * for a file of other settings, and the line for one that is no record.
 */
export async function openRecords<R>(path: string, options: RecordsOptions<R>): Promise<Records<R>> {
  const { place = path, read, type, identity, about } = options;
  const file = await openFile(path, place);
  try {
    // What is no file may be read without end, or not at all.
    if (!(await file.stat()).isFile()) throw new ConfigError(place, "is no file that can be read back; name a file");
    const text = await file.readFile("utf8");
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    const lines = whole.split("\n").slice(0, -1);
    const [first, ...rest] = lines;
    const header: Header = { type, version, identity };
    if (first !== undefined) checkHeader(parse(first, `${place}:1`), { ...options, place });
    else if (!JSON.stringify(header).startsWith(text))
      throw new ConfigError(place, `is no file of ${about}; choose another`);
    const before = rest.map((line, index) => read(parse(line, `${place}:${index + 2}`), `${place}:${index + 2}`));
    if (whole !== text) await file.truncate(Buffer.byteLength(whole));
    if (first === undefined) await write(file, header);
    return recordsOn(file, before);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openFile(path: string, place: string): Promise<FileHandle> {
  try {
    return await open(path, "a+");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new ConfigError(place, `cannot be opened for writing (${code})`, { cause: error });
  }
}

const write = async (file: FileHandle, line: unknown): Promise<void> => {
  await file.appendFile(`${JSON.stringify(line)}\n`);
};

function recordsOn<R>(file: FileHandle, before: readonly R[]): Records<R> {
  let writing = Promise.resolve();
  return {
    before,
    // One at a time, so that lines never mix.
    add: (record) => (writing = writing.then(() => write(file, record))),
    close: async () => {
      await writing.catch(() => {});
      await file.close();
    },
  };
}

function parse(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new ConfigError(place, "is not a line of JSON; the file is damaged, choose another", { cause: error });
  }
}

type Checked = Pick<RecordsOptions<never>, "type" | "about" | "identity"> & { readonly place: string };

function checkHeader(value: unknown, { type, about, identity, place }: Checked): void {
  const header = value as Partial<Header> | null;
  if (header?.type !== type) throw new ConfigError(place, `is no file of ${about}; choose another`);
  if (header.version !== version)
    throw new ConfigError(
      place,
      `has version ${String(header.version)}, and this is version ${version}; choose another file`,
    );
  const before: Identity = header.identity ?? {};
  const names = new Set([...Object.keys(before), ...Object.keys(identity)]);
  const differing = [...names].filter((name) => before[name] !== identity[name]);
  if (differing.length === 0) return;
  const told = differing.map((name) => `${name} ${show(before[name])}, now ${show(identity[name])}`);
  throw new ConfigError(
    place,
    `was made with other settings (${told.join("; ")}); use them again, or choose another file`,
  );
}

const show = (value: Identity[string] | undefined): string => JSON.stringify(value ?? null);
