// One server a file: SQLite's own lock here is a folder that outlives a process that was killed, and tells nobody whose it is.

import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { ConfigError } from "../base/errors.ts";

type Owner = { readonly pid: number; readonly host: string };

const beatMs = 20_000;
const staleMs = 3 * beatMs;

const ownerFile = (file: string): string => `${file}.owner`;

function read(path: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Owner;
  } catch {
    // Gone, or torn by a crash: nobody's.
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether the owner still runs: on this machine by its process, on others by its last sign of life. */
function lives({ pid, host }: Owner, path: string): boolean {
  if (host === hostname()) return pid !== process.pid && isAlive(pid);
  try {
    return Date.now() - statSync(path).mtimeMs < staleMs;
  } catch {
    return false;
  }
}

/** Takes a file for this process until the returned function is called. Throws a ConfigError where another server has it. */
export function own(file: string): () => void {
  const path = ownerFile(file);
  const mine = JSON.stringify({ pid: process.pid, host: hostname() } satisfies Owner);
  const found = read(path);
  if (found !== undefined && lives(found, path)) {
    const who = `process ${found.pid}${found.host === hostname() ? "" : ` on ${found.host}`}`;
    throw new ConfigError("", `another server uses it (${who}); give each server a file of its own`);
  }
  rmSync(path, { force: true });
  writeFileSync(path, mine, { flag: "wx" });
  // Left by a server that was killed.
  rmSync(`${file}.lock`, { recursive: true, force: true });
  const beat = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(path, now, now);
    } catch {
      // Somebody removed it; whoever comes next is told by SQLite's own lock.
    }
  }, beatMs);
  beat.unref();
  return () => {
    clearInterval(beat);
    rmSync(path, { force: true });
  };
}
