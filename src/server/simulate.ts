import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigError, explain, ModelError } from "../base/errors.ts";
import type { Model } from "../core/types.ts";
import type { SimulatedOptions } from "../models/simulated-settings.ts";
import { simulated } from "../models/simulated.ts";
import { oneToken, stream, whole } from "./simulate-answer.ts";
import type { Charged, Head } from "./simulate-answer.ts";
import { HttpError, readRequest } from "./simulate-request.ts";

export type { Charged } from "./simulate-answer.ts";

/** What a simulated server is like: its model's options, where it listens, and who may ask. */
export type SimulateOptions = SimulatedOptions & {
  /** 0, the default: any free one. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Where set, requests need it as a bearer token. */
  readonly apiKey?: string | undefined;
  /** Called as each call ends with what it charged, also where the client left; not for one that failed. */
  readonly onCall?: ((charged: Charged) => void) | undefined;
};

/** A server that runs; `url` is what clients take as their base URL. */
export type SimulateServer = { readonly url: string; close(): Promise<void> };

type Service = { readonly model: Model; readonly options: SimulateOptions; calls: number };

const largestBody = 2 ** 26;
const keepAliveMs = 65_000;

/** By events, as iterating over a request costs several times as much. */
function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= largestBody) chunks.push(chunk);
      else reject(new HttpError(413, `the body is larger than ${largestBody} bytes`));
    });
    request.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    request.on("error", reject);
  });
}

const sendJson = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

function toHttp(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const [message, status] = [explain(error), error instanceof ModelError ? (error.status ?? 500) : 500];
  if (status !== 429 || !(error instanceof ModelError)) return new HttpError(status, message, { type: "server_error" });
  const wait = error.retryAfterMs ?? 1000;
  const headers = { "retry-after": String(Math.ceil(wait / 1000)), "retry-after-ms": String(wait) };
  return new HttpError(status, message, { type: "rate_limit_error", code: "rate_limit_exceeded", headers });
}

function sendError(response: ServerResponse, error: unknown): void {
  const { status, body, headers } = toHttp(error);
  if (response.headersSent) response.end(`data: ${JSON.stringify(body)}\n\n`);
  else response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

async function complete(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model, options } = service;
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort("the client left");
  });
  const asked = readRequest(await readBody(request), gone.signal);
  if (asked.model !== model.id) {
    const message = `model: there is no "${asked.model}" here, only "${model.id}"`;
    throw new HttpError(404, message, { param: "model", code: "model_not_found" });
  }
  const head: Head = {
    id: `chatcmpl-${++service.calls}`,
    created: Math.floor(Date.now() / 1000),
    model: model.id,
  };
  const answer = asked.likeliest !== undefined ? oneToken : asked.stream ? stream : whole;
  const { reason, usage } = await answer(model, asked, { response, head });
  options.onCall?.({ reason, usage });
}

async function route(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model, options } = service;
  if (options.apiKey !== undefined && request.headers.authorization !== `Bearer ${options.apiKey}`) {
    throw new HttpError(401, "wrong or missing API key", { code: "invalid_api_key" });
  }
  const path = (request.url ?? "/").replace(/\?.*$/, "").replace(/^\/v1(?=\/)/, "");
  const known: Readonly<Record<string, string>> = { "/models": "GET", "/chat/completions": "POST" };
  const method = known[path];
  if (method === undefined) throw new HttpError(404, `there is no ${path} here, only ${Object.keys(known).join(", ")}`);
  if (request.method !== method) throw new HttpError(405, `${path} takes ${method}`, { headers: { allow: method } });
  if (path === "/chat/completions") return complete(service, request, response);
  const entry = { id: model.id, object: "model", created: 0, owned_by: "duplex" };
  sendJson(response, { object: "list", data: [entry] });
}

async function handle(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await route(service, request, response);
  } catch (error) {
    if (!response.destroyed) sendError(response, error);
  }
}

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE";
      const message = taken ? `${port} is in use; choose another, or 0 for any free one` : explain(error);
      reject(new ConfigError(taken || error.code === "EACCES" ? "port" : "host", message, { cause: error }));
    });
    server.listen({ port, host, backlog: 4096 }, () => resolve(server.address() as AddressInfo));
  });
}

/**
 * Serves a simulated model as an OpenAI-compatible API: models, and chat completions whole or streamed. Tokens are written
 * when they are due, those due together in one write; a client that leaves ends its call. Rejects with a `ConfigError`.
 */
export async function simulateServer(options: SimulateOptions = {}): Promise<SimulateServer> {
  const { port = 0, host = "127.0.0.1" } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new ConfigError("port", `${port} is no port number`);
  const service: Service = { model: simulated(options), options, calls: 0 };
  // Clients keep idle connections for less, so none is closed under a request.
  const settings = { noDelay: true, keepAliveTimeout: keepAliveMs, requestTimeout: 0 };
  const server = createServer(settings, (request, response) => void handle(service, request, response));
  const address = await listen(server, port, host);
  const name = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${name}:${address.port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
