// The optional peer node-llama-cpp: loaded when first needed, one llama.cpp a process, each model file once.
import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type * as Jinja from "@huggingface/jinja";
import type * as Peer from "node-llama-cpp";
import type { Llama, LlamaModel as NativeModel, Token, TokenBias } from "node-llama-cpp";
import { ConfigError, explain, ModelError } from "../../base/errors.ts";

/** Where a model's layers are computed: `false` keeps to the processor, `auto` takes an accelerator where there is one. */
export type Gpu = false | "auto";

const missing =
  "local models need the optional package node-llama-cpp: run `npm i node-llama-cpp`, or use another model form";

let peer: Promise<typeof Peer> | undefined;

const loadPeer = (): Promise<typeof Peer> =>
  (peer ??= import("node-llama-cpp").catch((cause: unknown) => {
    peer = undefined;
    const absent =
      (cause as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" && explain(cause).includes("package");
    if (absent) throw new ConfigError("llama", missing, { cause });
    throw new ModelError(`node-llama-cpp cannot be loaded: ${explain(cause)}`, { model: "llama", cause });
  }));

const machines = new Map<Gpu, Promise<Llama>>();

/**
 * node-llama-cpp first tries its binary in a child process that inherits this one's flags, and the child of
 * `node --input-type=module --eval …` refuses to start with that one.
 */
async function withoutInputType<T>(work: () => Promise<T>): Promise<T> {
  const flags = process.execArgv;
  process.execArgv = flags.filter(
    (flag, index) => !/^--input-type(=|$)/u.test(flag) && flags[index - 1] !== "--input-type",
  );
  try {
    return await work();
  } finally {
    process.execArgv = flags;
  }
}

async function start(gpu: Gpu): Promise<Llama> {
  const { getLlama, LlamaLogLevel } = await loadPeer();
  try {
    // llama.cpp writes pages of log; a user's terminal and a program's pipe are not the place for them.
    const quiet = { logLevel: LlamaLogLevel.disabled, logger: () => {}, progressLogs: false };
    return await withoutInputType(() => getLlama({ gpu, build: "never", maxThreads: 0, ...quiet }));
  } catch (cause) {
    throw new ModelError(`node-llama-cpp has no build that runs on this machine: ${explain(cause)}`, {
      model: "llama",
      cause,
    });
  }
}

function machine(gpu: Gpu): Promise<Llama> {
  let found = machines.get(gpu);
  if (found === undefined) {
    found = start(gpu);
    machines.set(gpu, found);
    found.catch(() => machines.delete(gpu));
  }
  return found;
}

/** A loaded model file that others may be using too; `release` gives it back, the last one frees it. */
export type Shared = { readonly native: NativeModel; release(): Promise<void> };

type Entry = { readonly model: Promise<NativeModel>; users: number };
const loaded = new Map<string, Entry>();

async function load(path: string, gpu: Gpu): Promise<NativeModel> {
  const llama = await machine(gpu);
  try {
    return await llama.loadModel({ modelPath: path });
  } catch (cause) {
    throw new ModelError(`cannot load ${path}: ${explain(cause)}`, { model: path, cause });
  }
}

/** Loads a GGUF file, or shares it with whoever has loaded the same file in this process. */
export async function share(path: string, gpu: Gpu): Promise<Shared> {
  const { ino, mtimeMs, size } = await stat(path);
  const key = [gpu, path, ino, mtimeMs, size].join("\0");
  const entry = loaded.get(key) ?? { model: load(path, gpu), users: 0 };
  loaded.set(key, entry);
  entry.users++;
  let held = true;
  const release = async () => {
    if (!held) return;
    held = false;
    entry.users--;
    if (entry.users > 0) return;
    loaded.delete(key);
    await (await entry.model).dispose();
  };
  try {
    return { native: await entry.model, release };
  } catch (error) {
    entry.users--;
    if (loaded.get(key) === entry) loaded.delete(key);
    throw error;
  }
}

/** Makes biases of the next token: `logit` is added to those of `tokens`. */
export async function loadBias(native: NativeModel): Promise<(tokens: readonly Token[], logit: number) => TokenBias> {
  const { TokenBias: Bias } = await loadPeer();
  return (tokens, logit) => {
    const bias = Bias.for(native);
    for (const token of tokens) bias.set(token, { logit });
    return bias;
  };
}

/** The template engine that node-llama-cpp brings along. */
export async function loadJinja(): Promise<typeof Jinja> {
  await loadPeer();
  const require = createRequire(import.meta.resolve("node-llama-cpp"));
  const { href } = pathToFileURL(require.resolve("@huggingface/jinja"));
  const module = (await import(href)) as typeof Jinja & { readonly default?: typeof Jinja };
  return module.Template === undefined && module.default !== undefined ? module.default : module;
}
