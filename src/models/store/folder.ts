// Folders to write into.

import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

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
