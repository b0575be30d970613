// Runs as OpenTelemetry's spans and metrics.

export { flush, hasSdk, telemetry } from "./telemetry.ts";
export type { Telemetry, TelemetryOptions, Watcher, WatchOptions } from "./telemetry.ts";
