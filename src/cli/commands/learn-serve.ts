// An ear behind a socket.

import { timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Command } from "commander";
import { ConfigError } from "../../base/errors.ts";
import { earHandler, openEar, shippedEar } from "../../learn/index.ts";
import { portNumber } from "../flags.ts";
import type { Io } from "../io.ts";
import { reasonOf } from "../reason.ts";

type Flags = { readonly port: number; readonly host: string; readonly requireKey?: true; readonly json?: true };

/** `duplex learn serve-ear [FILE]`, until Ctrl-C. */
export const serveEarCommand = (io: Io): Command =>
  new Command("serve-ear")
    .description("let other processes and languages ask an ear: POST /decide { text, about }")
    .argument("[ear]", "an ear's JSON or its head (default: the one that comes with Duplex)")
    .option("--port <port>", "where to listen; 0: any free port", portNumber, 0)
    .option("--host <host>", "address to listen at", "127.0.0.1")
    .option("--require-key", "refuse requests without the key in DUPLEX_API_KEY")
    .option("--json", "print the address as JSON")
    .addHelpText(
      "after",
      `
Example:
  duplex learn serve-ear ear.json --port 8090
  curl -s localhost:8090/decide -d '{"about":"What is the fee?","text":"The fee is 95 euros. The board"}'
  duplex eval report --policy never,ear:http://localhost:8090`,
    )
    .action((path: string | undefined, flags: Flags) => serveEar(io, path, flags));

const isKey = (given: string | null, key: string): boolean => {
  const [a, b] = [Buffer.from(given ?? ""), Buffer.from(`Bearer ${key}`)];
  return a.length === b.length && timingSafeEqual(a, b);
};

function listen(server: Server, { port, host }: Flags): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) =>
      reject(new ConfigError("--port", `cannot listen at ${host}:${port}: ${reasonOf(cause)}`, { cause })),
    );
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

async function serveEar(io: Io, path: string | undefined, flags: Flags): Promise<void> {
  const { host, requireKey, json } = flags;
  const key = requireKey === true ? (io.env["DUPLEX_API_KEY"] ?? "") : undefined;
  if (key === "") throw new ConfigError("--require-key", "set DUPLEX_API_KEY to the key to require");
  if (key === undefined && !["127.0.0.1", "localhost", "::1"].includes(host))
    throw new ConfigError("--host", `${host} can be reached by others; add --require-key`);
  const ear = await openEar(path ?? (await shippedEar(undefined, { signal: io.signal })));
  try {
    const answer = earHandler(ear.file, ear.look);
    const guarded = (request: Request) =>
      key === undefined || isKey(request.headers.get("authorization"), key)
        ? answer(request)
        : Promise.resolve(Response.json({ error: { message: "the key is missing or wrong" } }, { status: 401 }));
    const listener = getRequestListener(guarded);
    const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
    const { port } = await listen(server, flags);
    const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
    io.stdout.write(json === true ? `${JSON.stringify({ url })}\n` : `${url}\n`);
    await new Promise<void>((resolve) => {
      if (io.signal.aborted) resolve();
      else io.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  } finally {
    await ear.close();
  }
}
