// node tools/clients/python.mjs: clients in Python against served teams. Installs them first, which takes minutes.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { call, clients, has, teams } from "./clients.mjs";

const names = Object.keys(clients);
const help = `node tools/clients/python.mjs [--only NAME]... [--venv DIR] [--python PROGRAM]

Asks the teams of tools/clients/teams.mjs, as \`duplex serve\` serves them, by clients in Python: ${names.join(", ")}.
They are installed by pip into a temporary folder that is removed again, about 1.1 GB for all of them.

  --only NAME       this client alone; may be given several times
  --venv DIR        a virtual environment to use, made where there is none; it is kept
  --python PROGRAM  makes the environment (python3)

Needs \`npm run build\` first. Exits with 1 where a client does not get what it should.`;

/** What was asked for. Ends the program for wrong options. */
function options() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: "string", multiple: true },
        venv: { type: "string" },
        python: { type: "string" },
        help: { type: "boolean" },
      },
    });
    const { only = names, venv, python = "python3" } = values;
    const odd = only.find((name) => !names.includes(name));
    if (odd !== undefined) throw new Error(`--only: "${odd}" is none of ${names.join(", ")}`);
    return { only, venv, python, wantsHelp: values.help === true };
  } catch (error) {
    console.error(`${error.message}\n\n${help}`);
    process.exit(2);
  }
}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** A Python that has the packages. */
async function install(only, { folder, python }) {
  const venv = join(folder, process.platform === "win32" ? "Scripts" : "bin", "python");
  if (!(await has(venv, "pip"))) await call(python, ["-m", "venv", folder]);
  for (const name of only) {
    const { module, packages, size } = clients[name];
    if (await has(venv, module)) continue;
    const began = performance.now();
    process.stderr.write(`installing ${packages.join(", ")} (about ${size}) ... `);
    await call(venv, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages]);
    process.stderr.write(`${seconds(began)}\n`);
  }
  return venv;
}

/** `duplex serve` with the teams, on a free port. */
async function served() {
  const bin = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
  const child = spawn(process.execPath, [bin, "serve", teams, "--port", "0", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = new Promise((done) => child.on("close", done));
  const line = await new Promise((done, fail) => {
    child.stdout.setEncoding("utf8").once("data", done);
    child.on("error", fail);
    child.on("close", () => fail(new Error("duplex serve ended; was `npm run build` run?")));
  });
  const stop = () => {
    child.kill();
    return closed;
  };
  return { url: JSON.parse(line).url, stop };
}

const { only, venv, python, wantsHelp } = options();
if (wantsHelp) {
  console.log(help);
  process.exit(0);
}
const temporary = venv === undefined ? await mkdtemp(join(tmpdir(), "duplex-python-")) : undefined;
let failed = 0;
try {
  const program = await install(only, { folder: temporary ?? resolve(venv), python });
  const { url, stop } = await served();
  for (const name of only) {
    const began = performance.now();
    try {
      const result = await clients[name].work({ python: program, url });
      console.log(JSON.stringify({ client: name, ok: true, took: seconds(began), ...result }));
    } catch (error) {
      failed++;
      console.log(JSON.stringify({ client: name, ok: false, took: seconds(began), error: error.message }));
    }
  }
  await stop();
} finally {
  if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
