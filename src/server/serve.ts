// The handler behind a socket, with the limits that a socket needs.

import { createServer } from "node:http";
import type { Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { ConfigError, explain } from "../base/errors.ts";
import { handler } from "./handler.ts";
import type { Handler } from "./handler.ts";
import type { HandlerOptions } from "./service.ts";
import { isStream, writeDirectly } from "./sse.ts";

/** Where a server listens, beside what it serves. */
export type ServeOptions = HandlerOptions & {
  /** 0, the default: any free one. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1: nobody but this machine. Any other address needs keys, or `anybody`. */
  readonly host?: string | undefined;
  /** Lets others in without a key. */
  readonly anybody?: boolean | undefined;
  /** Milliseconds a client may take to send its request (30,000), of that 10,000 at most for the headers. */
  readonly requestMs?: number | undefined;
  /** Milliseconds a client may leave what it was sent unread: 60,000. */
  readonly unreadMs?: number | undefined;
  /** Open connections: 2048. More are closed at once. */
  readonly connections?: number | undefined;
};

/** A server that runs; clients take `${url}/v1` as their base URL. */
export type Serving = {
  readonly url: string;
  readonly port: number;
  /** Takes no more runs, and listens until the last has ended; runs may end until the deadline in milliseconds (10,000), then they are cancelled. */
  readonly close: (options?: { readonly deadlineMs?: number }) => Promise<void>;
};

const loopback = ["127.0.0.1", "localhost", "::1"];
// Clients keep idle connections for less, so none is closed under a request.
const keepAliveMs = 65_000;
// After the deadline a client is still told that its run was cancelled.
const lastWordsMs = 500;

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE";
      const message = taken ? `${port} is in use; choose another, or 0 for any free one` : explain(error);
      reject(new ConfigError(taken || error.code === "EACCES" ? "port" : "host", message, { cause: error }));
    });
    server.listen({ port, host, backlog: 1024 }, () => resolve(server.address() as AddressInfo));
  });
}

function checkPlace({ port = 0, host = "127.0.0.1", keys = [], anybody = false }: ServeOptions): void {
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new ConfigError("port", `${port} is no port number`);
  if (loopback.includes(host) || keys.length > 0 || anybody) return;
  throw new ConfigError("host", `${host} can be reached by others; give keys, or say that anybody may call`);
}

/** Clients that do not read what they are sent are let go; those that wait for an answer are not. */
function dropUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}

/** Streams go to the socket without the layers between, which cost more than all else that a token takes. */
function directly(answer: Handler): Parameters<typeof getRequestListener>[0] {
  return async (request, env) => {
    const response = await answer(request);
    const outgoing = env.outgoing as ServerResponse;
    if (outgoing.destroyed || !isStream(response)) return response;
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    writeDirectly(response, outgoing);
    return new Response(null, { headers: { "x-hono-already-sent": "true" } });
  };
}

/** Serves teams at an address. Rejects with a ConfigError for wrong options, or where it cannot listen. */
export async function serve(options: ServeOptions): Promise<Serving> {
  checkPlace(options);
  const { port = 0, host = "127.0.0.1", requestMs = 30_000, unreadMs = 60_000, connections = 2048 } = options;
  const local = loopback.includes(host);
  // Pages of other sites reach a loopback address by names that resolve to it.
  const hosts = options.hosts ?? (local ? [...loopback, "[::1]"] : undefined);
  const answer = handler({ ...options, hosts });
  const listener = getRequestListener(directly(answer), { overrideGlobalObjects: false });
  const server = createServer(
    {
      noDelay: true,
      keepAliveTimeout: keepAliveMs,
      headersTimeout: Math.min(10_000, requestMs),
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(1000, requestMs),
      maxHeaderSize: 16_384,
    },
    (request, response) => void listener(request, response),
  );
  server.maxConnections = connections;
  server.maxHeadersCount = 100;
  server.timeout = unreadMs;
  server.on("timeout", dropUnread);
  const address = await listen(server, port, host);
  const close = async ({ deadlineMs = 10_000 }: { readonly deadlineMs?: number } = {}) => {
    const late = setTimeout(() => server.closeAllConnections(), Math.max(deadlineMs, 0) + lastWordsMs);
    // Until the last run has ended /healthz says so, and all that would begin one is refused.
    await answer.close({ deadlineMs });
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // What runs said last is still on its way; a connection is idle once its client has it.
    const idle = setInterval(() => server.closeIdleConnections(), 20);
    await closed;
    clearInterval(idle);
    clearTimeout(late);
  };
  const name = host.includes(":") ? `[${host}]` : host;
  return { url: `http://${name}:${address.port}`, port: address.port, close };
}
