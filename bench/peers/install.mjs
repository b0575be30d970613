// Installs the peer frameworks, as locked, into this folder only.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--prefix", folder], { cwd: folder, stdio: "inherit" });
process.exit(status ?? 1);
