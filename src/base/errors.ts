// The error classes. Being interrupted is an outcome and being cancelled is the caller's wish: neither is an error here.

/** The caller's mistake, found before anything runs; `path` names the place, as in `edges[2]` or `--agents`. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly path: string;
  constructor(path: string, message: string, options?: ErrorOptions) {
    super(path === "" ? message : `${path}: ${message}`, options);
    this.path = path;
  }
}

/** What a ModelError knows beside its message. */
export type ModelErrorDetails = {
  /** The model's id. */
  readonly model: string;
  /** HTTP status, where there was one. */
  readonly status?: number | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable?: boolean;
  /** How long the provider asked us to wait, in milliseconds (Retry-After). */
  readonly retryAfterMs?: number | undefined;
  /** Whether the stream closed without its end: what was said so far stands, but is not a whole message. */
  readonly truncated?: boolean;
  /** What the failed call took, all its tries together, as far as it is known; absent, a run counts what was read and said. */
  readonly usage?: FailedUsage | undefined;
  readonly cause?: unknown;
};

/** Calls and tokens of a call that failed: a `Usage`. */
export type FailedUsage = {
  readonly calls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly estimated?: boolean;
};

/** A model or its provider failed: unreachable, refused, stalled, closed without an end, or answered nonsense. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly model: string;
  readonly status: number | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly truncated: boolean;
  readonly usage: FailedUsage | undefined;
  constructor(message: string, details: ModelErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.model = details.model;
    this.status = details.status;
    this.retryable = details.retryable ?? false;
    this.retryAfterMs = details.retryAfterMs;
    this.truncated = details.truncated ?? false;
    this.usage = details.usage;
  }
}

/** A file or message that is not a trace, or one of another version; `line` counts from 1. */
export class TraceError extends Error {
  override readonly name = "TraceError";
  readonly line: number;
  constructor(line: number, message: string, options?: ErrorOptions) {
    super(`line ${line}: ${message}`, options);
    this.line = line;
  }
}

/** A message and its cause, where neither says all that the other says. */
function textOf(message: string, cause: string): string {
  if (cause === "" || message.includes(cause)) return message;
  return message !== "" && cause.startsWith(message) ? cause : `${message} (${cause})`;
}

/** One line that says what went wrong, with the causes that add something. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : explain(error.cause);
  const text = textOf(error.message, cause);
  return text.replaceAll(/\s*\n\s*/g, " ");
}
