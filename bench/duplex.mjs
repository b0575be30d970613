// The built library under test: `dist`, or the folder that DUPLEX_DIST names.
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const here = fileURLToPath(new URL(".", import.meta.url));

/** The folder of the build. */
export const dist = resolve(process.env.DUPLEX_DIST ?? join(here, "..", "dist"));

/** A module of the build, by its path within it. */
export const duplex = (path) => import(pathToFileURL(join(dist, path)).href);
