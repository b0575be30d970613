// The thread in which the store waits for the disk, so that no token does.

import { statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parentPort } from "node:worker_threads";
import type { Database } from "node-sqlite3-wasm";
import { explain } from "../base/errors.ts";
import { makeFolder } from "../models/store/folder.ts";
import type { Asked, Reply, Request, SqliteBounds } from "./sqlite-messages.ts";
import { own } from "./sqlite-owner.ts";
import { prepare, Rows } from "./sqlite-rows.ts";

type Open = { readonly database: Database; readonly rows: Rows; readonly disown: () => void };

class Missing extends Error {}

const little = 2 ** 20;

let place = "";
let opened: Open | undefined;

/** What went wrong, in words that say what to do. */
function reasonOf(error: unknown): string {
  const text = explain(error);
  if (/malformed/.test(text)) return "is broken; move it away, or name another file";
  if (/not a database/.test(text)) return "is not a SQLite database; name another file";
  if (/is full/.test(text) || (/I\/O error/.test(text) && isFull())) return "the disk is full";
  const { code = "" } = error as NodeJS.ErrnoException;
  if (/unable to open/.test(text) || /^E[A-Z]+$/.test(code))
    return `cannot be opened${code === "" ? "" : ` (${code})`}; check the folder and who may write there`;
  if (/readonly/.test(text)) return "may not be written to";
  return text;
}

function isFull(): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(place));
    return bavail * bsize < little;
  } catch {
    return false;
  }
}

async function openIt(file: string, bounds: SqliteBounds): Promise<void> {
  place = resolve(file);
  const { default: sqlite } = await import("node-sqlite3-wasm").catch((cause: unknown) => {
    throw (cause as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" ? new Missing() : cause;
  });
  await makeFolder(dirname(place));
  const disown = own(place);
  let database: Database | undefined;
  try {
    database = new sqlite.Database(place);
    prepare(database);
    opened = { database, rows: new Rows(database, bounds), disown };
  } catch (error) {
    database?.close();
    disown();
    throw error;
  }
}

async function answer(asked: Asked): Promise<unknown> {
  if (asked.type === "open") return openIt(asked.file, asked.bounds);
  if (opened === undefined) throw new Error("is closed");
  const { rows } = opened;
  if (asked.type === "write") return rows.write(asked.batch);
  if (asked.type === "list") return rows.list(asked.limit, asked.before);
  if (asked.type === "find") return rows.find(asked.id);
  if (asked.type === "lines") return rows.lines(asked.id, asked.from);
  return close(opened);
}

function close({ database, disown }: Open): void {
  opened = undefined;
  try {
    database.close();
  } finally {
    disown();
  }
}

const reply = (message: Reply) => parentPort?.postMessage(message, []);

let last = Promise.resolve();
parentPort?.on("message", ({ number, asked }: Request) => {
  // One after the other, also while it is being opened.
  last = last.then(async () => {
    try {
      reply({ number, value: await answer(asked) });
    } catch (error) {
      reply({ number, problem: reasonOf(error), missing: error instanceof Missing });
    }
  });
});
