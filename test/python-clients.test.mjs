// Clients in Python against `duplex serve`; `node tools/clients/python.mjs` installs them. DUPLEX_PYTHON names a Python that has some.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, suite, test } from "node:test";
import { clients, has, teams } from "../tools/clients/clients.mjs";
import { bin } from "./process.mjs";

const python = process.env.DUPLEX_PYTHON ?? "python3";
const found = await Promise.all(
  Object.entries(clients).map(async ([name, client]) => ({ name, client, there: await has(python, client.module) })),
);

suite("clients in Python", () => {
  let child;
  let url;
  before(async () => {
    if (found.every(({ there }) => !there)) return;
    child = spawn(process.execPath, [bin, "serve", teams, "--port", "0", "--json"]);
    url = JSON.parse(await new Promise((done) => child.stdout.setEncoding("utf8").once("data", done))).url;
  });
  after(() => child?.kill());

  for (const { name, client, there } of found)
    test(
      `${name} gets from a team what it should`,
      { skip: !there && `${python} has no ${client.module}` },
      async () => {
        assert.ok(await client.work({ python, url }));
      },
    );
});
