import { printable } from "./printable.ts";

const reasons: { readonly [code: string]: string } = {
  ENOENT: "there is no such file or folder",
  EACCES: "no permission",
  EPERM: "no permission",
  EROFS: "the file system is read-only",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is no folder",
  ENOSPC: "there is no space left on the disk",
  EDQUOT: "the disk quota is used up",
};

/** Why a file could not be read or written, in words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? printable(error instanceof Error ? error.message : String(error));
}
