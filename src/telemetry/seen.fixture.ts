// An SDK that keeps what it is told, and what it was told as tests ask for it.

import type { SpanContext } from "@opentelemetry/api";
import { InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { AggregationTemporality } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { telemetry } from "./telemetry.ts";
import type { TelemetryOptions } from "./telemetry.ts";

/** A telemetry whose spans and metrics are kept. */
export function kept(options: TelemetryOptions = {}) {
  const exporter = new InMemorySpanExporter();
  const open = new Set<string>();
  const id = ({ spanId }: SpanContext) => spanId;
  const watch = {
    onStart: (span: ReadableSpan) => void open.add(id(span.spanContext())),
    onEnd: (span: ReadableSpan) => void open.delete(id(span.spanContext())),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const spanProcessors = [new SimpleSpanProcessor(exporter), watch];
  const provider = new BasicTracerProvider({ spanProcessors, spanLimits: { linkCountLimit: 1000 } });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 2 ** 30 });
  const meters = new MeterProvider({ readers: [reader] });
  const told = telemetry({ tracer: provider.getTracer("test"), meter: meters.getMeter("test"), ...options });
  let flushed = 0;
  /** The sum of a metric's points, those alone that have the attributes. */
  const metric = async (name: string, about: Record<string, string> = {}): Promise<number> => {
    if (flushed !== exporter.getFinishedSpans().length) await reader.forceFlush();
    flushed = exporter.getFinishedSpans().length;
    const all =
      metricExporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? [];
    const points = all.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
    const found = points.filter(({ attributes }) =>
      Object.entries(about).every(([key, value]) => attributes[key] === value),
    );
    return found.reduce((sum, { value }) => sum + (typeof value === "number" ? value : (value.sum ?? 0)), 0);
  };
  return {
    metric,
    telemetry: told,
    open,
    spans: () => exporter.getFinishedSpans(),
    span: (name: string) => exporter.getFinishedSpans().find((span) => span.name === name) as ReadableSpan,
  };
}

/** Milliseconds from one moment of a span's to another. */
export const msBetween = (from: readonly [number, number], to: readonly [number, number]): number =>
  Math.round(((to[0] - from[0]) * 1e9 + (to[1] - from[1])) / 1e3) / 1e3;
