// Who may call: keys, web pages, names of the host.

import { createHash, timingSafeEqual } from "node:crypto";
import { HttpError } from "./simulate-request.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Whether a key is one of these; takes as long for any key, right or wrong, of whatever length. */
export function keyCheck(keys: readonly string[]): (key: string) => boolean {
  const known = keys.map(digest);
  return (key) => {
    const asked = digest(key);
    // All are compared, so that time does not tell which one it was.
    return known.reduce((found, each) => timingSafeEqual(each, asked) || found, false);
  };
}

const bearer = (headers: Headers): string =>
  /^Bearer +(.+)$/i.exec(headers.get("authorization") ?? "")?.[1]?.trim() ?? "";

const hostOf = (value: string): string => value.replace(/:\d+$/, "").toLowerCase();

export type GuardOptions = {
  readonly keys: readonly string[];
  readonly origins: readonly string[];
  readonly hosts: readonly string[] | undefined;
  /** The paths that need no key. */
  readonly open: readonly string[];
};

/** Checks a request before anything else. It throws an `HttpError` 401, 403 or 421. */
export function guard({ keys, origins, hosts, open }: GuardOptions): (request: Request, path: string) => void {
  const isKnown = keyCheck(keys);
  return (request, path) => {
    const host = request.headers.get("host") ?? new URL(request.url).host;
    // A page of another site must not reach a server on this machine, by a name of its own or by ours.
    if (hosts !== undefined && !hosts.includes(hostOf(host)))
      throw new HttpError(
        421,
        `this server is called ${hosts.join(", ")}; the option hosts adds names, and duplex serve --host listens at another`,
      );
    const origin = request.headers.get("origin");
    if (origin !== null && !origins.includes(origin) && !isOwn(origin, host))
      throw new HttpError(
        403,
        "pages of this origin may not call; the option origins lets them, as duplex serve --origin does",
      );
    if (keys.length === 0 || open.includes(path)) return;
    // A preflight cannot bring a key.
    if (request.method === "OPTIONS" && origin !== null) return;
    const key = bearer(request.headers);
    if (!isKnown(key)) {
      const headers = { "www-authenticate": "Bearer" };
      throw new HttpError(401, key === "" ? "missing API key; send it as a bearer token" : "wrong API key", {
        code: "invalid_api_key",
        headers,
      });
    }
  };
}

const isOwn = (origin: string, host: string): boolean => {
  try {
    return new URL(origin).host === host;
  } catch {
    return false;
  }
};
