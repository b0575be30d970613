import type { HrTime } from "@opentelemetry/api";

/**
 * Moments of a run as OpenTelemetry takes them, from `at` in milliseconds since its start. Always in two numbers: a plain one
 * that is smaller than the process's own start would be taken for milliseconds since then.
 */
export function momentsFrom(epochMs: number): (at: number) => HrTime {
  return (at) => {
    const nanos = Math.round((((epochMs % 1000) + 1000) % 1000) * 1e6 + at * 1e6);
    return [Math.floor(epochMs / 1000) + Math.floor(nanos / 1e9), nanos % 1e9];
  };
}
