import type { Clock } from "../base/clock.ts";
import { ConfigError } from "../base/errors.ts";
import type { Model } from "../core/types.ts";
import { gateFor, limited } from "./limited.ts";
import { openai } from "./openai.ts";
import { fromText } from "./simulated-settings.ts";
import { simulated } from "./simulated.ts";
import type { Progress } from "./store/index.ts";

/** What a spec alone does not say: keys, where time comes from, and whom to tell while a model is fetched. */
export type ParseModelOptions = {
  /** Keys are read from `DUPLEX_API_KEY`, and for OpenAI's own address from `OPENAI_API_KEY`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Stops fetching. */
  readonly signal?: AbortSignal | undefined;
};

/** A model that may hold something to be freed. */
export type OpenModel = Model & { close?(): Promise<void> };

/** The forms a spec can have, as they are listed to people. */
export const modelForms =
  "simulated, simulated:decode=50,ttft=200, openai:NAME, openai:NAME@URL, llama:NAME or llama:./file.gguf";

const defaultURL = "https://api.openai.com/v1";

/** What comes after the form: the name, and options written as `,name=value`. */
type Parts = { readonly rest: string; readonly options: readonly (readonly [name: string, value: string])[] };

const pair = (text: string): readonly [string, string] => {
  const at = text.indexOf("=");
  if (at < 1) throw new ConfigError("model", `"${text}" is not an option; write name=value, separated by commas`);
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
};

function unique(options: Parts["options"]): Parts["options"] {
  const names = options.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigError(place(twice), "is there twice");
  return options;
}

/** Splits off the options at the end, so that names, addresses and paths may have commas of their own. */
function split(text: string): Parts {
  const tail = /(?:,[A-Za-z]+=[^,]*)+$/.exec(text)?.[0] ?? "";
  const options = tail === "" ? [] : tail.slice(1).split(",").map(pair);
  return { rest: text.slice(0, text.length - tail.length), options: unique(options) };
}

const place = (name: string): string => `model option ${name}`;

const readers = {
  count: (value: string, path: string): number => {
    if (!/^\d{1,9}$/.test(value)) throw new ConfigError(path, `"${value}" is not a whole number of 0 or more`);
    return Number(value);
  },
  flag: (value: string, path: string): boolean => {
    if (value !== "true" && value !== "false") throw new ConfigError(path, `"${value}" is neither true nor false`);
    return value === "true";
  },
  text: (value: string, path: string): string => {
    if (value === "") throw new ConfigError(path, "is empty");
    return value;
  },
};

type Kinds = Readonly<Record<string, keyof typeof readers>>;
type Values<K extends Kinds> = { readonly [Name in keyof K]?: ReturnType<(typeof readers)[K[Name]]> };

function read<const K extends Kinds>(form: string, options: Parts["options"], kinds: K): Values<K> {
  const values = options.map(([name, value]) => {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) {
      throw new ConfigError(place(name), `${form} has no such option; there are ${Object.keys(kinds).join(", ")}`);
    }
    return [name, readers[kind](value, place(name))];
  });
  return Object.fromEntries(values) as Values<K>;
}

function openSimulated(text: string, { clock }: ParseModelOptions): Model {
  const options = unique(text.trim() === "" ? [] : text.split(",").map(pair));
  return simulated({ ...fromText(options, place), clock });
}

function openAPI(text: string, { env, clock }: ParseModelOptions): Model {
  const { rest, options } = split(text);
  const at = rest.search(/@https?:/);
  const [name, baseURL] = at < 0 ? [rest, defaultURL] : [rest.slice(0, at), rest.slice(at + 1)];
  if (name === "") throw new ConfigError("model", "openai: needs the model's name: openai:NAME or openai:NAME@URL");
  if (at < 0 && rest.includes("@")) {
    throw new ConfigError(
      "model",
      `after the @ comes an address that begins with http:// or https://, in openai:${rest}`,
    );
  }
  // A key for OpenAI is nobody else's.
  const theirs = baseURL === defaultURL ? env["OPENAI_API_KEY"] : undefined;
  const apiKey = env["DUPLEX_API_KEY"] || theirs || undefined;
  if (apiKey === undefined && baseURL === defaultURL) {
    throw new ConfigError("model", `openai:${name} needs a key; set OPENAI_API_KEY or DUPLEX_API_KEY`);
  }
  const kinds = { concurrency: "count", retries: "count", continues: "flag", idleMs: "count" } as const;
  const { concurrency, retries, ...rules } = read("openai", options, kinds);
  const model = openai({ baseURL, model: name, apiKey, clock, ...rules });
  const gate = gateFor([baseURL, name, apiKey ?? ""].join("\n"), { concurrency, clock });
  return limited(model, { gate, retries, clock });
}

async function openLlama(text: string, options: ParseModelOptions): Promise<OpenModel> {
  const { rest, options: written } = split(text);
  if (rest === "")
    throw new ConfigError("model", "llama: needs a model's name or a file: llama:NAME or llama:./file.gguf");
  const kinds = { lora: "text", threads: "count", contexts: "count", contextTokens: "count" } as const;
  const { lora, ...sizes } = read("llama", written, kinds);
  // Loaded here only, so that whoever needs no local model needs no node-llama-cpp.
  const [{ llama }, { cacheFolder, pull }] = await Promise.all([
    import("./llama/index.ts"),
    import("./store/index.ts"),
  ]);
  const { env, clock, onProgress, signal } = options;
  const isFile = /[\\/]|\.gguf$/i.test(rest);
  const path = isFile ? rest : (await pull(rest, { cacheDir: cacheFolder(env), clock, onProgress, signal })).path;
  const adapters = lora === undefined ? {} : { lora: [{ path: lora }] };
  return llama({ ...(isFile ? {} : { name: rest }), path, clock, ...sizes, ...adapters });
}

/** What `parseModel` rejects with, at the place where the spec was given: a flag, or a place in a file. */
export function specError(error: unknown, from: string): unknown {
  if (!(error instanceof ConfigError)) return error;
  const { path, message, cause } = error;
  const rest = path === "" ? message : message.slice(path.length + 2);
  const name = path === "model" ? "" : path.startsWith(place("")) ? path.slice(place("").length) : path;
  return new ConfigError(from, name === "" ? rest : `${name}: ${rest}`, { cause });
}

/**
 * The model a spec names: `simulated`, `simulated:decode=50,ttft=200`, `openai:NAME@URL` (behind the process's gate for it),
 * `llama:NAME` (fetched where it is not here yet) or `llama:./file.gguf`; options follow as `,name=value`. Rejects with a
 * `ConfigError` that says which forms or options there are, or with a `ModelError` where a local model cannot be had.
 */
export async function parseModel(spec: string, options: ParseModelOptions): Promise<OpenModel> {
  const [, form = "", rest = ""] = /^([^:]*):?(.*)$/s.exec(spec.trim()) ?? [];
  if (form === "simulated") return openSimulated(rest, options);
  if (form === "openai") return openAPI(rest, options);
  if (form === "llama") return openLlama(rest, options);
  throw new ConfigError("model", `there is no form "${form}"; write ${modelForms}`);
}
