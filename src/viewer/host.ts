// A page on this machine's own address, for a browser on this machine.

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigError } from "../base/errors.ts";

/** A page that is being served. */
export type Hosted = { readonly url: string; readonly close: () => Promise<void> };

/** Serves one page on the loopback address, to requests that name it; port 0 is any free one. Throws ConfigError. */
export async function hostPage(html: string, port = 0): Promise<Hosted> {
  const body = Buffer.from(html);
  const server = createServer(({ method, url, headers }, response) => {
    const { port: bound } = server.address() as AddressInfo;
    // A name that somebody points at this machine must not read the page.
    const known = headers.host === `127.0.0.1:${bound}` || headers.host === `localhost:${bound}`;
    const found = url === "/" || url?.startsWith("/?") === true;
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Cache-Control", "no-store");
    if (!known || !found || (method !== "GET" && method !== "HEAD")) {
      response.writeHead(known ? (found ? 405 : 404) : 403).end();
      return;
    }
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Content-Length": body.length });
    response.end(method === "HEAD" ? undefined : body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new ConfigError("--port", `cannot listen at 127.0.0.1:${port}: ${error.message}`, { cause: error })),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Variables of the environment. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Opens an address where there is a desktop to open it on; does nothing, and never fails, where there is none. */
export function openInBrowser(url: string, env: Env, platform: string = process.platform): void {
  const desktop = platform === "darwin" || platform === "win32" || Boolean(env["DISPLAY"] ?? env["WAYLAND_DISPLAY"]);
  if (!desktop) return;
  const [command, ...args] =
    platform === "darwin" ? ["open", url] : platform === "win32" ? ["cmd", "/c", "start", "", url] : ["xdg-open", url];
  const child = spawn(command ?? "", args, { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
