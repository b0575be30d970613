// A folder of our own: nothing is written beside what others have put there.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "../base/errors.ts";
import { makeFolder } from "../models/store/folder.ts";

/** What tools leave in folders that people call empty. */
const unseen = [".DS_Store", ".gitignore", ".gitkeep"];

/** How a folder is opened. */
export type FolderOptions = {
  /** The file that makes a folder ours as soon as it holds anything. */
  readonly journal: string;
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

/** Makes the folder where it is not there. Throws a `ConfigError` where it cannot be made, and where it holds what is not ours. */
export async function openFolder(folder: string, { journal, place }: FolderOptions): Promise<void> {
  try {
    await makeFolder(folder);
  } catch (error) {
    throw new ConfigError(place, `cannot be made (${codeOf(error)})`, { cause: error });
  }
  const names = await namesIn(folder, place);
  if (!(await isEmpty(join(folder, journal)))) return;
  const foreign = names.filter((name) => name !== journal && !unseen.includes(name)).toSorted()[0];
  if (foreign === undefined) return;
  throw new ConfigError(place, `holds "${foreign}", which is not of this experiment; name a new or an empty folder`);
}
