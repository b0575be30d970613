// How a failure is told to a client: a status and OpenAI's shape, without secrets.

import { ConfigError, explain, ModelError } from "../base/errors.ts";
import { HttpError } from "./simulate-request.ts";

/** Replaces secrets in a text by stars. */
export type Redact = (text: string) => string;

/** Takes these out of any text; those too short to be secrets are left alone. */
export function redactor(secrets: Iterable<string>): Redact {
  const all = [...new Set(secrets)].filter((secret) => secret.length >= 6);
  // What is cut into JSON has its quotes and backslashes escaped.
  const forms = [...new Set(all.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))];
  return (text) => forms.reduce((now, secret) => (now.includes(secret) ? now.replaceAll(secret, "***") : now), text);
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
