// `npm test`: build, lint, format, unit and end-to-end tests, in that order; stops at the first that fails.
// `npm test -- PATTERN…` runs only the test files whose path contains one of the patterns.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name) => join(root, "node_modules", ".bin", name);

function step(name, command, ...args) {
  const began = performance.now();
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.error(
    `${status === 0 ? "ok" : "failed"}: ${name} (${seconds} s)${error === undefined ? "" : ` ${error.message}`}`,
  );
  if (status !== 0) process.exit(status ?? 1);
}

const filesUnder = (folder, ending) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file))
    .toSorted();

const patterns = process.argv.slice(2);
if (patterns.length === 0) {
  step("lint", bin("oxlint"), "--type-aware");
  step("format", bin("oxfmt"), "--check", "src", "test", "tools", "examples", "bench");
}
step("build", process.execPath, "tools/build.mjs");
step("build of the tests", bin("tsc"), "-p", "tsconfig.json", "--outDir", ".build/test");
const tests = [...filesUnder(".build/test", ".test.js"), ...filesUnder("test", ".test.mjs")].filter(
  (file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)),
);
step("tests", process.execPath, "--enable-source-maps", "--test", "--test-concurrency=2", ...tests);
