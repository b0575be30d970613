// Folders to write into.

import { mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ConfigError } from "../../base/errors.ts";

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
};

/**
 * Makes a folder and those above it, where they are not there. Rejects with the file system's error where that cannot be: Node's own
 * recursive `mkdir` never ends in a folder that takes no other, such as `/proc`.
 */
export async function makeFolder(path: string): Promise<void> {
  const whole = resolve(path);
  const above = dirname(whole);
  if (above !== whole && !(await isFolder(above))) await makeFolder(above);
  try {
    await mkdir(whole);
  } catch (error) {
    if (!(await isFolder(whole))) throw error;
  }
}

/** What tools leave in folders that people call empty. */
const unseen = [".DS_Store", ".gitignore", ".gitkeep"];

/** A folder of our own. */
export type OwnFolder = {
  /** The file that makes a folder ours as soon as it holds anything; written in place, or as `.new` and renamed. */
  readonly journal: string;
  /** What is kept in it, as errors say it: "experiment". */
  readonly what: string;
  /** How the folder is called in errors. */
  readonly place: string;
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);

async function namesIn(folder: string, place: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    throw new ConfigError(place, `cannot be read (${codeOf(error)})`, { cause: error });
  }
}

const isEmpty = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).size === 0;
  } catch {
    return true;
  }
};

/**
 * Makes the folder where it is not there: nothing is written beside what others have put there. Throws a `ConfigError` where it
 * cannot be made, and where it holds what is not ours.
 */
export async function openFolder(folder: string, { journal, what, place }: OwnFolder): Promise<void> {
  try {
    await makeFolder(folder);
  } catch (error) {
    throw new ConfigError(place, `cannot be made (${codeOf(error)})`, { cause: error });
  }
  const names = await namesIn(folder, place);
  if (!(await isEmpty(join(folder, journal)))) return;
  const ours = [journal, `${journal}.new`, ...unseen];
  const foreign = names.filter((name) => !ours.includes(name)).toSorted()[0];
  if (foreign === undefined) return;
  throw new ConfigError(place, `holds "${foreign}", which is not of this ${what}; name a new or an empty folder`);
}
