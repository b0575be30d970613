import { ModelError, type ModelErrorDetails } from "../base/errors.ts";

/** Who is spoken to, as errors name it: nothing here is secret but `secrets`, which no message may contain. */
export type Place = { readonly model: string; readonly url: string; readonly secrets: readonly string[] };

type Details = Omit<ModelErrorDetails, "model">;

/** One line without control characters or secrets, cut to a readable length. */
function line(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret !== "") clean = clean.replaceAll(secret, "***");
  clean = clean.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  return clean.length > 300 ? `${clean.slice(0, 300)}…` : clean;
}

/** A model error that says where it happened: `MODEL at URL: problem`. */
export function fault({ model, url, secrets }: Place, problem: string, details: Details = {}): ModelError {
  return new ModelError(`${model} at ${url}: ${line(problem, secrets)}`, { model, ...details });
}

const advice: Readonly<Record<number, string>> = {
  400: "the server does not accept this request: check the model's name and the extra fields",
  401: "check the API key",
  402: "check the account's balance",
  403: "this key may not use this model: check the key's rights",
  404: "check the base URL (it usually ends in /v1) and the model's name",
  405: "check the base URL (it usually ends in /v1)",
  413: "the request is too large: shorten it or use a model with a larger context",
  422: "the server does not accept this request: check the model's name and the extra fields",
  429: "too many requests: lower the concurrency or wait",
};

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** What an error object of a provider says; they agree on little. */
export function saidError(error: unknown): string {
  if (typeof error !== "object" || error === null) return text(error) ?? "an error without a message";
  const { message, code, type, detail } = error as Record<string, unknown>;
  return text(message) ?? text(detail) ?? text(code) ?? text(type) ?? JSON.stringify(error);
}

function saidBody(body: string): string {
  if (/^\s*<(!doctype|html)/i.test(body)) return "an HTML page";
  try {
    const json: unknown = JSON.parse(body);
    if (typeof json !== "object" || json === null) return saidError(json);
    return saidError((json as Record<string, unknown>)["error"] ?? json);
  } catch {
    return body.trim() === "" ? "nothing more" : body;
  }
}

/** `Retry-After` in milliseconds, from seconds or a date; a date counts from the server's own clock where it tells it. */
export function retryAfter(headers: Headers): number | undefined {
  const exact = headers.get("retry-after-ms");
  if (exact !== null && /^\d+(\.\d+)?$/.test(exact)) return Number(exact);
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const now = Date.parse(headers.get("date") ?? "");
  const until = Date.parse(value);
  return Number.isNaN(until) ? undefined : Math.max(0, until - (Number.isNaN(now) ? Date.now() : now));
}

/** An HTTP status that is not a success, with what its body said and what to do about it. */
export function statusError(place: Place, { status, headers }: Response, body: string): ModelError {
  const known = advice[status] ?? (status >= 500 ? "the provider failed: try again later" : "check the base URL");
  const unpaid = body.includes("insufficient_quota");
  const retryable = !unpaid && (status >= 500 || status === 429 || status === 408 || status === 425);
  const help = unpaid ? "no quota is left: check the account" : known;
  return fault(place, `answered ${status} (${line(saidBody(body), place.secrets)}); ${help}`, {
    status,
    retryable: retryable && status !== 501,
    retryAfterMs: retryAfter(headers),
  });
}

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there: check that the server runs and that the port is right",
  ENOTFOUND: "there is no such host: check the host name in the base URL",
  EAI_AGAIN: "the host name could not be looked up: check the network",
  ECONNRESET: "the connection was reset: try again",
  EHOSTUNREACH: "the host cannot be reached: check the network",
  ENETUNREACH: "the network cannot be reached: check the network",
  ETIMEDOUT: "the connection timed out: check the host and the network",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out: check the host and the network",
  UND_ERR_SOCKET: "the connection was closed: try again",
};

const noRetry = /^ENOTFOUND$|CERT|SELF_SIGNED|^ERR_(SSL|TLS|INVALID)/;

/** A request that got no answer: no such host, nothing listening, a bad certificate. */
export function connectionError(place: Place, error: unknown): ModelError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = text((cause as { code?: unknown } | undefined)?.code) ?? "";
  const certificate = /CERT|SELF_SIGNED/.test(code) ? "its certificate is not trusted: check the host" : undefined;
  const reason = unreachable[code] ?? certificate ?? (cause instanceof Error ? cause.message : String(cause));
  return fault(place, `no connection (${code === "" ? "failed" : code}); ${reason}`, {
    retryable: !noRetry.test(code),
    cause: error,
  });
}

/** The server went silent. */
export function idleError(place: Place, idleMs: number): ModelError {
  return fault(place, `sent nothing for ${idleMs} ms; try again, or allow more time with idleMs`, { retryable: true });
}
