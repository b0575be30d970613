// The tables of the store, and what is read from and written to them. Runs in a thread of its own.

import type { Database } from "node-sqlite3-wasm";
import { ConfigError } from "../base/errors.ts";
import { none } from "../core/usage.ts";
import type { Usage } from "../core/types.ts";
import type { RunSummary } from "./run-store.ts";
import type { Batch, Block, SqliteBounds } from "./sqlite-messages.ts";

// "Dplx", so that nobody's other file is taken for one of these.
const applicationId = 0x44706c78;
const version = 1;
// So much is checked in well under a second; beyond, only what is read is.
const checkedBytes = 2 ** 27;

const tables = `
  CREATE TABLE runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    team TEXT NOT NULL,
    task TEXT NOT NULL,
    started TEXT NOT NULL,
    state TEXT NOT NULL,
    events INTEGER NOT NULL DEFAULT 0,
    ms REAL NOT NULL DEFAULT 0,
    usage TEXT NOT NULL,
    bytes INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE blocks (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    first INTEGER NOT NULL,
    count INTEGER NOT NULL,
    lines TEXT NOT NULL,
    UNIQUE (run, first)
  );
`;

const numberIn = (row: unknown): number => Number(Object.values((row ?? {}) as Record<string, unknown>)[0] ?? 0);
const pragma = (database: Database, name: string): number => numberIn(database.get(`PRAGMA ${name}`));

/** Makes the tables, or checks those there are. Throws a ConfigError for a file of something else or a broken one. */
export function prepare(database: Database): void {
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL");
  const isNew = numberIn(database.get("SELECT count(*) FROM sqlite_schema")) === 0;
  if (isNew) {
    database.exec(
      `BEGIN; ${tables}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}; COMMIT`,
    );
    return;
  }
  if (pragma(database, "application_id") !== applicationId)
    throw new ConfigError("", "is a database of another program; name another file");
  if (pragma(database, "user_version") > version)
    throw new ConfigError("", "was written by a later version of Duplex; name another file, or use that version");
  if (pragma(database, "page_count") * pragma(database, "page_size") <= checkedBytes) {
    const [found] = Object.values(database.get("PRAGMA quick_check(1)") ?? {});
    if (found !== "ok") throw new Error("database disk image is malformed");
  }
  // A server that was killed has left them.
  database.exec("UPDATE runs SET state = 'failed' WHERE state = 'running'");
}

type Row = Omit<RunSummary, "usage"> & { readonly usage: string };

const columns = "id, team, task, started, state, events, ms, usage";

const summaryOf = (row: Row): RunSummary => ({ ...row, usage: JSON.parse(row.usage) as Usage });

/** Reads and writes; what it does is done in the order it is asked for. */
export class Rows {
  readonly #database: Database;
  readonly #bounds: SqliteBounds;
  /** The row numbers of runs that go on. */
  readonly #open = new Map<string, number>();
  /** Runs of which events could not be written: a trace with a gap is none, so nothing more of them is. */
  readonly #lost = new Set<string>();
  /** Their row numbers, as long as their rows do not say so. */
  #broken = new Set<number>();
  #bytes: number;

  constructor(database: Database, bounds: SqliteBounds) {
    this.#database = database;
    this.#bounds = bounds;
    this.#bytes = numberIn(database.get("SELECT coalesce(sum(bytes), 0) FROM runs"));
    this.#transaction(() => this.#prune());
  }

  write(batch: Batch): void {
    const before = this.#bytes;
    try {
      this.#transaction(() => {
        for (const number of this.#broken)
          this.#database.run("UPDATE runs SET state = 'failed' WHERE number = ?", number);
        for (const { id, team, task, started } of batch.begun) {
          const values = [id, team, task, started, JSON.stringify(none)];
          const sql = "INSERT INTO runs (id, team, task, started, state, usage) VALUES (?, ?, ?, ?, 'running', ?)";
          this.#open.set(id, Number(this.#database.run(sql, values).lastInsertRowid));
        }
        this.#blocks(batch.blocks);
        for (const { run, state, usage } of batch.ended) {
          const number = this.#open.get(run);
          if (number === undefined || this.#lost.has(run)) continue;
          this.#database.run("UPDATE runs SET state = ?, usage = ? WHERE number = ?", [
            state,
            JSON.stringify(usage),
            number,
          ]);
        }
        if (batch.ended.length > 0) this.#prune();
      });
      this.#broken.clear();
    } catch (error) {
      this.#bytes = before;
      for (const { id } of batch.begun) {
        this.#open.delete(id);
        this.#lost.add(id);
      }
      for (const { run } of [...batch.blocks, ...batch.ended]) {
        const number = this.#open.get(run);
        if (number !== undefined) this.#broken.add(number);
        this.#lost.add(run);
      }
      throw error;
    } finally {
      for (const { run } of batch.ended) {
        this.#open.delete(run);
        this.#lost.delete(run);
      }
    }
  }

  #blocks(blocks: readonly Block[]): void {
    const insert = this.#database.prepare("INSERT INTO blocks (run, first, count, lines) VALUES (?, ?, ?, ?)");
    try {
      for (const { run, first, count, lines, ms } of blocks) {
        const number = this.#open.get(run);
        if (number === undefined || this.#lost.has(run)) continue;
        insert.run([number, first, count, lines]);
        const sql = "UPDATE runs SET events = ?, ms = ?, bytes = bytes + ? WHERE number = ?";
        this.#database.run(sql, [first + count, ms, lines.length, number]);
        this.#bytes += lines.length;
      }
    } finally {
      insert.finalize();
    }
  }

  /** Drops the oldest runs that have ended, until the bounds are kept. */
  #prune(): void {
    const { runs, days, bytes } = this.#bounds;
    const oldest = new Date(Date.now() - days * 86_400_000).toISOString();
    let count = numberIn(this.#database.get("SELECT count(*) FROM runs"));
    for (;;) {
      const row = this.#database.get(
        "SELECT number, bytes, started FROM runs WHERE state <> 'running' ORDER BY number LIMIT 1",
      ) as { readonly number: number; readonly bytes: number; readonly started: string } | null;
      if (row === null || (count <= runs && this.#bytes <= bytes && row.started >= oldest)) return;
      this.#database.run("DELETE FROM runs WHERE number = ?", row.number);
      this.#bytes -= row.bytes;
      count--;
    }
  }

  list(limit: number, before: string | undefined): RunSummary[] {
    const older = before === undefined ? "" : "WHERE number < (SELECT number FROM runs WHERE id = ?)";
    const values = before === undefined ? [limit] : [before, limit];
    const sql = `SELECT ${columns} FROM runs ${older} ORDER BY number DESC LIMIT ?`;
    return (this.#database.all(sql, values) as unknown as Row[]).map(summaryOf);
  }

  find(id: string): RunSummary | undefined {
    const row = this.#database.get(`SELECT ${columns} FROM runs WHERE id = ?`, id) as unknown as Row | null;
    return row === null ? undefined : summaryOf(row);
  }

  /** The lines of one block, from an event on; none at the end. */
  lines(id: string, from: number): string[] {
    const sql = `SELECT first, lines FROM blocks WHERE run = (SELECT number FROM runs WHERE id = ?)
      AND first + count > ? ORDER BY first LIMIT 1`;
    const row = this.#database.get(sql, [id, from]) as { readonly first: number; readonly lines: string } | null;
    return row === null ? [] : row.lines.split("\n").slice(Math.max(0, from - row.first));
  }

  #transaction(work: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      // After some failures SQLite has rolled back by itself.
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}
