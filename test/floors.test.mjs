import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const floors = [
  ["base"],
  ["core"],
  ["runtime", "models", "policies", "transports", "theory", "testing"],
  ["eval", "telemetry"],
  ["learn", "experiment"],
  ["server", "viewer"],
  ["cli"],
];
const root = fileURLToPath(new URL("../src", import.meta.url));
const floorOf = (folder) => floors.findIndex((floor) => floor.includes(folder));
const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !/\.(test|fixture)\.ts$|__fixtures__/.test(file) && file.includes(sep),
);
const imports = (file) =>
  [...readFileSync(join(root, file), "utf8").matchAll(/(?:from|import)\s*\(?"([^"]+)"/g)].map(([, path]) => path);

test("every folder of the source has a floor", () => {
  const folders = new Set(sources.map((file) => file.split(sep)[0]));
  assert.deepEqual(
    [...folders].filter((folder) => floorOf(folder) < 0),
    [],
  );
});

test("a file imports only from its own folder and from floors below", () => {
  const wrong = sources.flatMap((file) => {
    const from = file.split(sep)[0];
    return imports(file)
      .filter((path) => path.startsWith("."))
      .map((path) => normalize(join(dirname(file), path)).split(sep)[0])
      .filter((to) => to !== from && floorOf(to) >= floorOf(from))
      .map((to) => `${file} imports ${to}`);
  });
  assert.deepEqual(wrong, []);
});

test("base and core have no dependency, and what runs in a browser imports nothing of Node", () => {
  const browser = ["base", "core", "runtime", "policies", "theory"];
  const wrong = sources.flatMap((file) =>
    browser.includes(file.split(sep)[0])
      ? imports(file)
          .filter((path) => !path.startsWith("."))
          .map((path) => `${file} imports ${path}`)
      : [],
  );
  assert.deepEqual(wrong, []);
});
