// The optional peer @a2a-js/sdk: loaded when somebody first calls by A2A.

import type * as Types from "@a2a-js/sdk";
import type * as Legacy from "@a2a-js/sdk/compat/v0_3/server";
import type * as Errors from "@a2a-js/sdk/errors";
import type * as Server from "@a2a-js/sdk/server";
import { explain } from "../base/errors.ts";
import { HttpError } from "./simulate-request.ts";

/** The parts of the SDK that serve a team; its JSON-RPC needs no web framework. */
export type Sdk = {
  readonly types: typeof Types;
  readonly server: typeof Server;
  readonly errors: typeof Errors;
  /** For clients of version 0.3 of the protocol, `message/send` and the like. */
  readonly legacy: typeof Legacy;
};

let loading: Promise<Sdk> | undefined;

async function load(): Promise<Sdk> {
  const [types, server, errors, legacy] = await Promise.all([
    import("@a2a-js/sdk"),
    import("@a2a-js/sdk/server"),
    import("@a2a-js/sdk/errors"),
    import("@a2a-js/sdk/compat/v0_3/server"),
  ]);
  return { types, server, errors, legacy };
}

/** What is told where the package is missing or cannot be loaded. */
export function missing(cause: unknown): HttpError {
  const absent = (cause as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
  const reason = absent ? "run `npm i @a2a-js/sdk` where Duplex is installed" : explain(cause);
  return new HttpError(501, `A2A needs the optional package @a2a-js/sdk: ${reason}`, { type: "server_error" });
}

/** The SDK. Rejects with an `HttpError` 501 where it is not installed. */
export const loadSdk = (): Promise<Sdk> =>
  (loading ??= load().catch((cause: unknown) => {
    loading = undefined;
    throw missing(cause);
  }));
