// Two processes that want the same model: one fetches, the other waits.
import { open, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import type { Clock } from "../../base/clock.ts";

/** A lock that has not been touched for this long belongs to a process that is gone. */
const staleMs = 30_000;
const touchMs = 5_000;
const pollMs = 250;

export type LockOptions = {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called once if somebody else holds it. */
  readonly onWait: () => void;
};

async function take(path: string): Promise<boolean> {
  try {
    const file = await open(path, "wx");
    await file.write(`${process.pid}\n`);
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Puts away a lock that nobody keeps any more. */
async function sweep(path: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs < staleMs) return;
    const owner = await readFile(path, "utf8");
    const aside = `${path}.${process.pid}`;
    await rename(path, aside);
    // Somebody may have swept and taken it in between: then it is theirs.
    if ((await readFile(aside, "utf8")) === owner) await rm(aside, { force: true });
    else await rename(aside, path);
  } catch {
    // It is gone already.
  }
}

/** Runs `work` while holding the lock file `path`. Rejects with the signal's reason when it fires while waiting. */
export async function locked<T>(
  path: string,
  { clock, signal, onWait }: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  let told = false;
  while (!(await take(path))) {
    signal.throwIfAborted();
    if (!told) onWait();
    told = true;
    await sweep(path);
    await clock.sleep(pollMs, signal);
  }
  const touch = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, touchMs);
  touch.unref();
  try {
    return await work();
  } finally {
    clearInterval(touch);
    await rm(path, { force: true });
  }
}
