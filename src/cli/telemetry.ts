import type { RunEvent } from "../core/types.ts";
import { redactor } from "../server/failure.ts";
import { flush, hasSdk, telemetry } from "../telemetry/index.ts";
import type { Io } from "./io.ts";

/** Keys for models, which nothing that goes out may bring. */
export const secretsIn = ({ env }: Pick<Io, "env">): string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    /(_KEY|_TOKEN|_SECRET|_PASSWORD)$/.test(name) && value ? [value] : [],
  );

/** Warns where nothing would be sent. */
export function warnWithoutSdk({ stderr }: Io): void {
  if (hasSdk()) return;
  stderr.write("duplex: --telemetry: no OpenTelemetry SDK is registered, so nothing is sent; see docs/telemetry.md\n");
}

/** Tells OpenTelemetry of one run, without the secrets of the environment. */
export function telling(io: Io) {
  warnWithoutSdk(io);
  const { add, end } = telemetry({ redact: redactor(secretsIn(io)) }).begin();
  return {
    add: (event: RunEvent): void => add(event),
    /** The run is over; resolves once what is known of it was sent. */
    async end(error?: unknown): Promise<void> {
      end(error);
      await flush();
    },
  };
}
