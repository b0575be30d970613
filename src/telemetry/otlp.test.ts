// What arrives at a collector over OTLP/HTTP, sent by the SDK's own exporter.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { parallel } from "../core/trace-samples.fixture.ts";
import { telemetry } from "./telemetry.ts";

type Value = { readonly stringValue?: string; readonly intValue?: number; readonly doubleValue?: number };
type WireSpan = {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly links?: readonly { readonly spanId: string }[];
};

test("a collector gets the whole tree of a run, with its links and attributes", async (context) => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text) => (body += text));
    request.on("end", () => {
      if (request.url === "/v1/traces") bodies.push(body);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  const provider = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  telemetry({ tracer: provider.getTracer("duplex-ai") }).record(parallel, { name: "team" });
  await provider.shutdown();
  const spans = bodies.flatMap((body) => {
    const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: WireSpan[] }[] }[] };
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  });
  const named = (name: string) => spans.find((span) => span.name === name) as WireSpan;
  const root = named("invoke_workflow team");
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1);
  assert.equal(root.parentSpanId ?? "", "");
  assert.equal(Number(BigInt(root.startTimeUnixNano) / 1_000_000n), Date.parse("2026-01-02T03:04:05.000Z"));
  const call = named("chat model-D");
  assert.equal(call.parentSpanId, named("invoke_agent D").spanId);
  assert.equal(call.attributes.find(({ key }) => key === "gen_ai.request.model")?.value.stringValue, "model-D");
  assert.ok((call.links ?? []).some(({ spanId }) => spanId === named("chat model-B").spanId));
});
