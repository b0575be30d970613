// `npm run build`: the library file by file, and the viewer's browser part as one bundle.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const call = (name, ...args) => {
  const { status } = spawnSync(join(root, "node_modules", ".bin", name), args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
};

// What is not built any more must not be packed either.
rmSync(join(root, "dist"), { recursive: true, force: true });
call("tsc", "-p", "tsconfig.build.json");
call("vite", "build", "-c", "src/viewer/app/vite.config.mjs");
// What is not TypeScript, and runs where it is told to.
cpSync(join(root, "src", "learn", "python"), join(root, "dist", "learn", "python"), { recursive: true });
