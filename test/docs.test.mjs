// What the pages for users show is true: their programs compile and run, their command lines work.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { after, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { loadTaskFile } from "../dist/eval/index.js";
import { parseTopology } from "../dist/index.js";
import { simulated } from "../dist/models/index.js";
import { checkWeights } from "../dist/policies/index.js";
import { checkConfig, readyTeams, serve } from "../dist/server/index.js";
import { commandsOf, lessOf, lessOfProgram, pagesOf, programsOf, whyNot, wordsOf } from "./docs-snippets.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = join(root, "dist", "cli", "main.js");
const blocks = pagesOf(root);
const examples = readdirSync(join(root, "examples")).map((name) => readFileSync(join(root, "examples", name), "utf8"));

// Inside the package, so that programs import it by its name, as its users do.
mkdirSync(join(root, ".build"), { recursive: true });
const folder = mkdtempSync(join(root, ".build", "docs-"));
after(async () => {
  await compiled;
  rmSync(folder, { recursive: true, force: true });
});
mkdirSync(join(folder, "bin"));
writeFileSync(join(folder, "bin", "duplex"), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`);
chmodSync(join(folder, "bin", "duplex"), 0o755);

const { DUPLEX_API_KEY: _a, OPENAI_API_KEY: _b, NODE_TEST_CONTEXT: _c, ...clean } = process.env;
const env = {
  ...clean,
  PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
  DUPLEX_MODEL: "simulated:ttft=1,decode=100000",
  SERVE_KEY: "a key",
};

/** Runs a program to its end; gives its exit code and all that it printed. */
function ended(command, args, options) {
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"], ...options });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((done) => child.on("close", (code) => done({ code, output })));
}

const programs = programsOf(blocks).map((program) => ({
  ...program,
  why: examples.some((text) => text.includes(program.code.trim())) ? "its example is run" : program.why,
}));
// Where a page talks to a server, it is this one.
const server = await serve({ teams: readyTeams(simulated({ ttft: 1, decode: 100_000 })) });
after(() => server.close());
const here = (text) =>
  text.replaceAll("127.0.0.1:8080", `127.0.0.1:${server.port}`).replaceAll("port: 8080", "port: 0");

for (const { file, text } of programs) writeFileSync(join(folder, file), here(lessOfProgram(text)));
copyFileSync(join(root, "test", "docs-givens.mjs"), join(folder, "docs-givens.mjs"));
writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({
    compilerOptions: {
      target: "es2023",
      lib: ["es2023", "esnext.disposable", "dom", "dom.iterable", "dom.asynciterable"],
      module: "nodenext",
      moduleDetection: "force",
      types: ["node"],
      strict: true,
      allowJs: true,
      checkJs: true,
      skipLibCheck: true,
      rootDir: ".",
      outDir: "out",
    },
    files: programs.map(({ file }) => file),
  }),
);
const compiled = ended(join(root, "node_modules", ".bin", "tsc"), ["-p", "."], { cwd: folder });

suite("programs", { concurrency: 2 }, () => {
  for (const { page, line, file, why } of programs) {
    test(`${page}:${line} compiles`, async () => {
      const { output } = await compiled;
      const faults = output.split("\n").filter((text) => text.startsWith(`${file}(`));
      assert.deepEqual(faults, []);
    });
    test(`${page}:${line} runs`, { skip: why, timeout: 120_000 }, async () => {
      await compiled;
      const work = mkdtempSync(join(folder, "run-"));
      const { code, output } = await ended(process.execPath, [join(folder, "out", file.replace(/ts$/, "js"))], {
        cwd: work,
      });
      assert.equal(code, 0, output);
    });
  }
});

/** The command of the program that these words name, and the words behind it. */
async function commandNamed([name, ...words]) {
  const module = await import(`../dist/cli/commands/${name}.js`);
  let command = module[`${name}Command`]({});
  let rest = words;
  for (;;) {
    const next = command.commands.find((each) => each.name() === rest[0]);
    if (next === undefined) return { command, rest };
    command = next;
    rest = rest.slice(1);
  }
}

/** Options of a command line that its command does not have. */
async function unknownOptions(text) {
  const unknown = [];
  for (const part of text.split(/ && | \| /)) {
    const words = wordsOf(part.replace(/^(?:\w+=(?:"[^"]*"|\S+) )+/, ""));
    if (words[0] !== "duplex") continue;
    const { command, rest } = await commandNamed(words.slice(1));
    for (const word of rest)
      if (word.startsWith("--") && command.options.every(({ long }) => long !== word.split("=")[0])) unknown.push(word);
  }
  return unknown;
}

const pages = [...new Set(blocks.map(({ page }) => page))];
const curl = spawnSync("curl", ["--version"]).error === undefined;
const whyNotHere = (line) => whyNot(line) ?? (line.text.startsWith("curl ") && !curl ? "needs curl" : undefined);

/** Files that pages speak of and do not show. */
const files = {
  "three.json": {
    agents: ["host", "ana", "ben"].map((id) => ({ id, instructions: `You are ${id}.` })),
    edges: [],
  },
};

suite("command lines", { concurrency: 2 }, () => {
  for (const page of pages) {
    const lines = blocks.filter((block) => block.page === page && block.language === "sh").flatMap(commandsOf);
    if (lines.length === 0) continue;
    // One after the other: what one writes the next one reads.
    suite(page, { concurrency: 1 }, () => {
      const work = mkdtempSync(join(folder, "shell-"));
      for (const name of new Set(lines.flatMap(({ given }) => given)))
        if (files[name] !== undefined) writeFileSync(join(work, name), JSON.stringify(files[name]));
      for (const line of lines) {
        test(`${page}:${line.line} ${line.text}`, { skip: whyNotHere(line), timeout: 120_000 }, async () => {
          const { code, output } = await ended("sh", ["-c", here(lessOf(line.text))], {
            cwd: work,
          });
          assert.equal(code, 0, output);
        });
        if (whyNot(line) !== undefined)
          test(`${page}:${line.line} has options that there are`, async () => {
            assert.deepEqual(await unknownOptions(line.text), []);
          });
      }
    });
  }
});

/** What reads the JSON of a page. */
const readers = {
  "docs/library.md": (value) => parseTopology(value, { model: simulated() }),
  "docs/policies.md": (value) => checkWeights(value),
  "docs/server.md": (value) => checkConfig(value),
  "docs/tasks.md": (value) => loadTaskFile("task.jsonl", async () => JSON.stringify(value)),
};

test("JSON on the pages is JSON, and what it is for can be read", async () => {
  for (const { page, line, language, code } of blocks) {
    if (language !== "json") continue;
    await assert.doesNotReject(async () => readers[page]?.(JSON.parse(code)), `${page}:${line}`);
  }
});

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(text) {
  const seen = new Map();
  return text
    .replace(/^```[\s\S]*?^```/gm, "")
    .split("\n")
    .filter((line) => /^#+ /.test(line))
    .map((line) => {
      const words = line.replace(/^#+ /, "").replace(/\]\([^)]*\)/g, "");
      const slug = words
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-");
      const before = seen.get(slug) ?? 0;
      seen.set(slug, before + 1);
      return before === 0 ? slug : `${slug}-${before}`;
    });
}

test("links on the pages lead to files, and to headings that are there", () => {
  const broken = [];
  let links = 0;
  for (const page of pages) {
    const text = readFileSync(join(root, page), "utf8")
      .replace(/^```[\s\S]*?^```/gm, "")
      .replace(/`[^`\n]*`/g, "");
    for (const [, path, anchor] of text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
      links++;
      const file = path === "" ? join(root, page) : join(root, dirname(page), path);
      if (!existsSync(file)) broken.push(`${page}: ${path}`);
      else if (anchor !== undefined && !anchorsOf(readFileSync(file, "utf8")).includes(anchor))
        broken.push(`${page}: ${path}#${anchor}`);
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(links > 80, `${links} links`);
});
