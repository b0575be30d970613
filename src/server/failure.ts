// How a failure is told to a client: a status and OpenAI's shape, without secrets.

import { ConfigError, explain, ModelError } from "../base/errors.ts";
import { HttpError } from "./simulate-request.ts";

/** Replaces secrets in a text by stars. */
export type Redact = (text: string) => string;

/** From this length on a secret is taken out wherever it stands, also within a word. */
const longSecret = 6;

/** Letters and digits mixed, and no number: nothing that a word, a field's name or a count would be. */
const standsOut = (secret: string): boolean =>
  /\p{L}/u.test(secret) && /\p{N}/u.test(secret) && Number.isNaN(Number(secret));

/** Short secrets as words of their own: within other words they would star what is no secret. */
function shortOnes(secrets: readonly string[]): RegExp | undefined {
  const written = secrets
    .filter((secret) => secret.length < longSecret && standsOut(secret))
    .map((secret) => secret.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  if (written.length === 0) return undefined;
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${written.join("|")})(?![\p{L}\p{N}])`, "gu");
}

/**
 * Takes these out of any text. Of those shorter than 6 characters only such as mix letters and digits, as words of their own:
 * a key `id` or `12` would star the names and numbers of every answer, which nobody could read any more.
 */
export function redactor(secrets: Iterable<string>): Redact {
  const given = [...new Set(secrets)];
  const all = given.filter((secret) => secret.length >= longSecret);
  const short = shortOnes(given);
  // What is cut into JSON has its quotes and backslashes escaped.
  const forms = [...new Set(all.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))];
  return (text) => {
    const clean = forms.reduce((now, secret) => (now.includes(secret) ? now.replaceAll(secret, "***") : now), text);
    return short === undefined ? clean : clean.replaceAll(short, "***");
  };
}

/** An error as an answer: the caller's mistakes are 400, a model that is busy 429, one that fails 502, all else 500. */
export function toHttp(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof ConfigError) return new HttpError(400, error.message);
  if (error instanceof ModelError && error.status === 429) {
    const headers = { "retry-after": String(Math.ceil((error.retryAfterMs ?? 1000) / 1000)) };
    return new HttpError(429, explain(error), { type: "rate_limit_error", code: "rate_limit_exceeded", headers });
  }
  if (error instanceof ModelError)
    return new HttpError(502, explain(error), { type: "server_error", code: "model_failed" });
  if (error instanceof DOMException && error.name === "AbortError")
    return new HttpError(503, `the run was cancelled: ${error.message}`, { type: "server_error", code: "cancelled" });
  return new HttpError(500, explain(error), { type: "server_error" });
}

/** The error's body, as JSON. */
export function bodyOf({ body, message }: HttpError, redact: Redact): HttpError["body"] {
  const { param } = body.error;
  return { error: { ...body.error, message: redact(message), param: param === null ? null : redact(param) } };
}

/** The error as a response. */
export function toResponse(error: unknown, redact: Redact): Response {
  const http = toHttp(error);
  return Response.json(bodyOf(http, redact), { status: http.status, headers: http.headers });
}
