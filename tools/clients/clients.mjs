// What each client in Python is asked to do against a served team, and what must come of it.
import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The teams they ask; a config for `duplex serve`. */
export const teams = here("teams.mjs");

/** Runs a program to its end. Rejects with what it printed where it fails. */
export function call(program, args, { env = {}, cwd, onLine } = {}) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, cwd });
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"])
    child[name].setEncoding("utf8").on("data", (text) => {
      out[name] += text;
      onLine?.(text);
    });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(`${program} ${args.join(" ")} ended with ${code}\n${out.stdout}${out.stderr}`));
    });
  });
}

const lastLine = ({ stdout }) => JSON.parse(stdout.trim().split("\n").at(-1));

async function openai({ python, url }) {
  return lastLine(await call(python, [here("openai_client.py"), url]));
}

async function a2a({ python, url }) {
  return lastLine(await call(python, [here("a2a_client.py"), url]));
}

async function inspect({ python, url }) {
  const before = await counted(url, "/v1/responses");
  const result = lastLine(await call(python, [here("inspect_sums.py"), url]));
  const responses = (await counted(url, "/v1/responses")) - before;
  if (responses !== 3) throw new Error(`Inspect's OpenAI provider asked /v1/responses ${responses} times, not 3`);
  return result;
}

async function lmEval({ python, url }) {
  const folder = await mkdtemp(join(tmpdir(), "duplex-lm-eval-"));
  try {
    for (const name of ["sums.yaml", "sums.jsonl"]) await cp(here(name), join(folder, name));
    const endpoint = `base_url=${url}/v1/chat/completions,num_concurrent=1,max_retries=1`;
    const args = ["--model", "local-chat-completions", "--model_args", `model=sums,${endpoint}`, "--tasks", "sums"];
    const more = ["--include_path", folder, "--apply_chat_template", "--output_path", "out", "--log_samples"];
    const env = {
      HF_HUB_OFFLINE: "1",
      HF_DATASETS_OFFLINE: "1",
      HF_HOME: join(folder, "cache"),
      OPENAI_API_KEY: "none",
    };
    await call(python, ["-m", "lm_eval", ...args, ...more], { env, cwd: folder });
    const files = await readdir(join(folder, "out"), { recursive: true });
    const file = files.find((name) => /results_.*\.json$/.test(name));
    const { results, lm_eval_version: version } = JSON.parse(await readFile(join(folder, "out", file), "utf8"));
    const score = results.sums["exact_match,last-number"];
    if (Math.abs(score - 2 / 3) > 1e-6) throw new Error(`lm-evaluation-harness scored ${score}, not 2 of 3`);
    return { lm_eval: version, score };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** How many requests of a route were answered. Inspect also asks once for what is refused, to learn whether it is. */
async function counted(url, route) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const start = `duplex_requests_total{route="${route}",status="200"}`;
  const line = text.split("\n").find((each) => each.startsWith(start));
  return line === undefined ? 0 : Number(line.split(" ").at(-1));
}

/** By name: the module it needs, what pip installs for it, how large that is, and what it does with `{ python, url }`. */
export const clients = {
  openai: { module: "openai", packages: ["openai"], size: "70 MB", work: openai },
  a2a: { module: "a2a", packages: ["a2a-sdk"], size: "70 MB", work: a2a },
  inspect: { module: "inspect_ai", packages: ["inspect-ai", "openai"], size: "360 MB", work: inspect },
  "lm-eval": { module: "lm_eval", packages: ["lm-eval[api]"], size: "760 MB", work: lmEval },
};

/** Whether a Python has a module; false where there is no such Python. */
export async function has(python, module) {
  const code = `import importlib.util, sys; sys.exit(importlib.util.find_spec(${JSON.stringify(module)}) is None)`;
  return call(python, ["-c", code]).then(
    () => true,
    () => false,
  );
}
