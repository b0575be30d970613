import { type Clock, systemClock } from "../base/clock.ts";
import { ConfigError } from "../base/errors.ts";
import type { ModelRequest } from "../core/types.ts";
import { connectionError, fault, idleError, type Place, statusError } from "./openai-errors.ts";
import { prepareToCount } from "./tokens.ts";
import type { Gone, Watch } from "./watch.ts";

/** Where an OpenAI-compatible model is, and what its endpoint can do. */
export type OpenAIOptions = {
  /** Where `/chat/completions` hangs; usually ends in `/v1`. */
  readonly baseURL: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The longest silence of the server, in milliseconds, the time to the first byte included; 0: no bound. Default 60,000. */
  readonly idleMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Fields added to each request's body, over ours. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** The server goes on from a last message by the assistant when asked to as vLLM is (`continue_final_message`). */
  readonly continues?: boolean | undefined;
  /** Sends the request's session as `prompt_cache_key`. */
  readonly cacheKey?: boolean | undefined;
  /** How many of the likeliest tokens `choose` asks for; some servers allow fewer than the default of 20. */
  readonly topLogprobs?: number | undefined;
};

/** A checked `OpenAIOptions`. */
export type Endpoint = {
  readonly options: OpenAIOptions;
  readonly place: Place;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly idleMs: number;
  /** OpenAI's own servers refuse the older name for their newer models; the others know only the older one. */
  readonly limitField: "max_tokens" | "max_completion_tokens";
};

function checkedURL(baseURL: string): URL {
  let url: URL;
  try {
    url = new URL(baseURL);
  } catch {
    throw new ConfigError("baseURL", "is not a URL; it looks like http://localhost:8080/v1");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new ConfigError("baseURL", "must begin with http:// or https://");
  if (url.username !== "" || url.password !== "")
    throw new ConfigError("baseURL", "must not contain a user or a password; give them in headers");
  const path = url.pathname.replace(/\/+$/, "").replace(/\/chat\/completions$/, "");
  url.pathname = `${path}/chat/completions`;
  return url;
}

function checkedHeaders({ apiKey, headers = {} }: OpenAIOptions): Record<string, string> {
  const key = apiKey?.trim() ?? "";
  const all: Record<string, string> = { "content-type": "application/json" };
  if (key !== "") all["authorization"] = `Bearer ${key}`;
  // The value is left out of the message: it may be a secret.
  if (!/^[\x21-\x7e]*$/.test(key)) throw new ConfigError("apiKey", "contains a character that no API key has");
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\x20-\x7e\t]*$/.test(value))
      throw new ConfigError(`headers.${name.replaceAll(/[^\w-]/g, "?")}`, "is not a valid HTTP header");
    all[name.toLowerCase()] = value;
  }
  return all;
}

/** Checks the options. Throws `ConfigError`. */
export function endpoint(options: OpenAIOptions): Endpoint {
  const { model, apiKey, headers = {}, idleMs = 60_000, clock = systemClock, topLogprobs = 20 } = options;
  if (model === "") throw new ConfigError("model", "is empty; give the name the server knows it by");
  if (!(idleMs >= 0)) throw new ConfigError("idleMs", "must be 0 or more milliseconds");
  if (!Number.isInteger(topLogprobs) || topLogprobs < 1) throw new ConfigError("topLogprobs", "must be 1 or more");
  const url = checkedURL(options.baseURL);
  const all = checkedHeaders(options);
  const secrets = [apiKey?.trim() ?? "", ...Object.values(headers).filter((value) => value.length >= 8)];
  return {
    options,
    // A query may carry a key, so errors name the address without it.
    place: { model, url: url.origin + url.pathname, secrets },
    url: url.href,
    headers: all,
    fetch: options.fetch ?? globalThis.fetch,
    clock,
    idleMs,
    limitField: url.hostname === "api.openai.com" ? "max_completion_tokens" : "max_tokens",
  };
}

/** The fields that all our requests share. */
export function commonBody({ options, limitField }: Endpoint, request: ModelRequest): Record<string, unknown> {
  const { messages, maxTokens, temperature, seed, stop, session } = request;
  const body: Record<string, unknown> = {
    model: options.model,
    messages: messages.map(({ role, content }) => ({ role, content })),
  };
  if (maxTokens !== undefined) body[limitField] = maxTokens;
  if (temperature !== undefined) body["temperature"] = temperature;
  if (seed !== undefined) body["seed"] = seed;
  if (stop !== undefined && stop.length > 0) body["stop"] = stop;
  if (session !== undefined && options.cacheKey === true) body["prompt_cache_key"] = session;
  if (options.continues === true && messages.at(-1)?.role === "assistant") {
    body["continue_final_message"] = true;
    body["add_generation_prompt"] = false;
  }
  return body;
}

/** Reads at most `limit` bytes of a body as text, for a message about it. */
async function excerpt(response: Response, watch: Watch, limit = 65_536): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (reader !== undefined && text.length < limit) {
      const result = await watch.wait(reader.read());
      if (typeof result === "string" || result.done) break;
      text += decoder.decode(result.value, { stream: true });
    }
  } catch {
    // What could be read will do.
  }
  reader?.cancel().then(undefined, () => {});
  return text;
}

/** Sends one request. Resolves to a successful response of the type wanted, or "stopped"; throws `ModelError`. */
export async function post(
  to: Endpoint,
  body: Readonly<Record<string, unknown>>,
  { signal, watch }: { signal: AbortSignal; watch: Watch },
): Promise<Response | "stopped"> {
  const { place, options } = to;
  const wanted = body["stream"] === true ? "text/event-stream" : "application/json";
  const init = {
    method: "POST",
    headers: { ...to.headers, accept: wanted },
    body: JSON.stringify({ ...body, ...options.body }),
    signal,
  };
  let response: Response | Gone;
  try {
    const answering = to.fetch.call(globalThis, to.url, init);
    prepareToCount();
    response = await watch.wait(answering);
  } catch (error) {
    throw connectionError(place, error);
  }
  if (response === "idle") throw idleError(place, to.idleMs);
  if (response === "stopped") return response;
  if (!response.ok) throw statusError(place, response, await excerpt(response, watch));
  const type = response.headers.get("content-type") ?? "";
  if (/html/i.test(type)) throw await wrongType(place, response, { watch, wanted: "a model's answer" });
  if (wanted === "text/event-stream" && /json/i.test(type) && !/event-stream/i.test(type))
    throw await wrongType(place, response, { watch, wanted: "a stream of events" });
  return response;
}

async function wrongType(place: Place, response: Response, { watch, wanted }: { watch: Watch; wanted: string }) {
  const body = await excerpt(response, watch);
  const html = /^\s*</.test(body);
  const what = html ? "an HTML page" : body.trim().slice(0, 200);
  return fault(place, `answered ${what} instead of ${wanted}; check the base URL (it usually ends in /v1)`, {
    status: response.status,
  });
}
