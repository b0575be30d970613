// An ear that other processes and languages can ask, over HTTP; and the client of one.

import { z } from "zod";
import { ConfigError, explain, ModelError } from "../base/errors.ts";
import type { Hearing } from "../core/policy.ts";
import type { Model } from "../core/types.ts";
import { none } from "../core/usage.ts";
import { meanOver } from "./course.ts";
import { checkEar } from "./ear-file.ts";
import type { EarFile } from "./ear-file.ts";
import { heardOf } from "./ear-prompt.ts";
import type { EarLook } from "./ear-policy.ts";
import { logistic } from "./logistic.ts";

/** What `/decide` is asked. */
const asked = z.strictObject({
  /** What the listener's model would be sent if it spoke now: of ears that are asked within. */
  messages: z
    .array(z.strictObject({ role: z.enum(["system", "user", "assistant"]), content: z.string() }))
    .min(1)
    .optional(),
  /** What was heard of this turn, and the question that the listener needs answered: of ears that are asked apart. */
  text: z.string().optional(),
  about: z.string().optional(),
  /** Log-odds of earlier looks at this message, oldest first: some ears go by the mean of several. */
  before: z.array(z.number()).optional(),
  /** Requests of one session extend one another, so that what was read is not read again. */
  session: z.string().optional(),
});

const answered = z.object({ logOdds: z.number() });

const largestBody = 2 ** 22;

const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });

const wrong = (status: number, message: string): Response => json({ error: { message } }, status);

// The ear has a model of its own.
const nobody: Model = {
  id: "none",
  async *stream() {
    yield { type: "end", reason: "stop", usage: none };
  },
};

function hearingOf({ messages = [], text = "", about }: Asked, session: string): Hearing {
  const common = { task: "", listener: "listener", speaker: "speaker", turn: 0, chunks: 1, tokens: 0, steps: [] };
  return { ...common, text, about, messages: () => messages, session, model: nobody };
}

/** What this kind of ear must be told. */
const needed = ({ ask }: EarFile): readonly ("messages" | "text" | "about")[] =>
  ask === "apart" ? ["text", "about"] : ["messages"];

/** Undefined where it is too large. */
async function textOf({ body }: Request): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.byteLength;
    if (size > largestBody) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

type Asked = z.infer<typeof asked>;

async function bodyOf(request: Request, file: EarFile): Promise<Asked | Response> {
  const text = await textOf(request);
  if (text === undefined) return wrong(413, `the body is larger than ${largestBody} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return wrong(400, "the body is not JSON");
  }
  const { success, data, error } = asked.safeParse(value);
  const lacks = needed(file).find((name) => data !== undefined && data[name] === undefined);
  if (lacks !== undefined) return wrong(400, `${lacks}: is missing; this ear wants ${needed(file).join(" and ")}`);
  if (success) return data;
  const [issue] = error.issues;
  return wrong(400, `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is wrong"}`);
}

/**
 * Answers `GET /` with the ear's JSON, and `POST /decide` { text, about, before?, session? } (for an ear that is asked within,
 * `messages` in place of both) with { logOdds, probability, interrupt, usage }. `interrupt`: the mean of as many looks as the ear wants is above its threshold. Errors are { error: { message } }.
 */
export function earHandler(file: EarFile, look: EarLook): (request: Request) => Promise<Response> {
  let calls = 0;
  const decide = async (request: Request) => {
    const body = await bodyOf(request, file);
    if (body instanceof Response) return body;
    const { before = [], session = `call ${++calls}` } = body;
    const { logOdds, usage } = await look(hearingOf(body, session), request.signal);
    if (logOdds === undefined) return wrong(499, "the request was called off");
    const { threshold } = file;
    const interrupt = threshold !== null && (meanOver([...before, logOdds], file.over) ?? -Infinity) > threshold;
    return json({ logOdds, probability: logistic(logOdds), interrupt, usage });
  };
  return async (request) => {
    const { pathname } = new URL(request.url);
    try {
      if (pathname === "/" && request.method === "GET") return json(file);
      if (pathname === "/decide" && request.method === "POST") return await decide(request);
      return wrong(pathname === "/" || pathname === "/decide" ? 405 : 404, "there are GET / and POST /decide");
    } catch (error) {
      return wrong(error instanceof ConfigError ? 400 : 500, explain(error));
    }
  };
}

/** How a served ear is reached. */
export type RemoteOptions = {
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Sent as a bearer token. */
  readonly apiKey?: string | undefined;
};

/** An ear that runs elsewhere: its file, and how it is asked. Rejects with a ModelError where nobody answers as an ear does. */
export async function remoteEar(url: string, { fetch = globalThis.fetch, apiKey }: RemoteOptions = {}) {
  const base = url.replace(/\/+$/, "");
  const headers = {
    "content-type": "application/json",
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  const ask = async (path: string, init: RequestInit): Promise<unknown> => {
    let response: Response;
    try {
      response = await fetch(`${base}${path}`, { ...init, headers });
    } catch (cause) {
      init.signal?.throwIfAborted();
      throw new ModelError(`the ear at ${base} cannot be reached: ${explain(cause)}`, {
        model: base,
        cause,
        retryable: true,
      });
    }
    const value = (await response.json().catch(() => undefined)) as { readonly error?: { readonly message?: string } };
    if (response.ok) return value;
    throw new ModelError(`the ear at ${base} answered ${response.status}: ${value?.error?.message ?? "no reason"}`, {
      model: base,
      status: response.status,
    });
  };
  const file = checkEar(await ask("/", { method: "GET" }), base);
  const look: EarLook = async (hearing, signal) => {
    const { messages, text, about } = heardOf(hearing);
    const told = file.ask === "apart" ? { text, about } : { messages };
    const body = JSON.stringify({ ...told, session: hearing.session });
    try {
      const answer = await ask("/decide", { method: "POST", body, ...(signal === undefined ? {} : { signal }) });
      const { success, data } = answered.safeParse(answer);
      if (!success) throw new ModelError(`the ear at ${base} answers without log-odds`, { model: base });
      // Tokens are the other machine's.
      return { logOdds: data.logOdds, usage: { ...none, calls: 1 } };
    } catch (error) {
      if (signal?.aborted === true) return { logOdds: undefined, usage: none };
      throw error;
    }
  };
  return { file, look };
}
