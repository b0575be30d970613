import assert from "node:assert/strict";
import { test } from "node:test";
import { SpanStatusCode } from "@opentelemetry/api";
import { ModelError } from "../base/errors.ts";
import { small, parallel } from "../core/trace-samples.fixture.ts";
import { byLine } from "../core/splitters.ts";
import type { RunEvent } from "../core/types.ts";
import { usageOf } from "../core/usage.ts";
import { dialogue } from "../runtime/dialogue.ts";
import { agent, chainOf, play } from "../runtime/play.fixture.ts";
import { run } from "../runtime/run.ts";
import { world } from "../runtime/simulation.fixture.ts";
import { VirtualClock } from "../testing/clock.ts";
import { genAi, providerOf } from "./names.ts";
import { kept, msBetween } from "./seen.fixture.ts";

const price = () => ({ currency: "USD", input: 1, cached: 0.5, output: 2 });

test("a run is a span, in it a span for each agent, in them one for each call, at the times at which it was", () => {
  const { telemetry, spans, open, span } = kept();
  telemetry.record(small, { name: "team" });
  assert.equal(open.size, 0);
  const root = span("invoke_workflow team");
  const tree = spans().map((each) => {
    const parent = spans().find((other) => other.spanContext().spanId === each.parentSpanContext?.spanId);
    return [
      each.name,
      parent?.name,
      msBetween(root.startTime, each.startTime),
      msBetween(root.startTime, each.endTime),
    ];
  });
  assert.deepEqual(tree, [
    ["chat m", "invoke_agent A", 0, 200],
    ["invoke_agent A", "invoke_workflow team", 0, 200],
    ["chat m", "invoke_agent B", 100, 200],
    ["chat m", "invoke_agent B", 200, 300],
    ["invoke_agent B", "invoke_workflow team", 100, 300],
    ["invoke_workflow team", undefined, 0, 300],
  ]);
  const { attributes } = spans()[3]!;
  assert.equal(attributes[genAi.operation], "chat");
  assert.equal(attributes[genAi.model], "m");
  assert.equal(attributes[genAi.agent], "B");
  assert.equal(attributes[genAi.inputTokens], 60);
  assert.equal(attributes[genAi.cachedTokens], 50);
  assert.equal(attributes[genAi.outputTokens], 10);
  assert.equal(attributes[genAi.firstChunk], 0.05);
  assert.deepEqual(attributes[genAi.finishReasons], ["stop"]);
  assert.equal(span("invoke_agent B").attributes[genAi.inputTokens], 100);
  assert.equal(root.attributes["duplex.tokens.output"], 40);
});

test("a step that is picked up is an event of the listener's call and a link to the call it was said in", () => {
  const { telemetry, spans } = kept();
  telemetry.record(small);
  const [said, , heard, later] = spans();
  assert.deepEqual(
    said!.events.map(({ name, attributes }) => [name, attributes?.["duplex.step"]]),
    [
      ["duplex.step", 0],
      ["duplex.step", 1],
    ],
  );
  for (const [index, call] of [heard!, later!].entries()) {
    assert.deepEqual(
      call.links.map(({ context }) => context.spanId),
      [said!.spanContext().spanId],
    );
    assert.deepEqual(call.events[0]!.attributes, { "duplex.speaker": "A", "duplex.step": index, "duplex.waited": 0 });
  }
});

test("an old trace keeps its date, a cut is an event of the call that it cut, and a skipped agent has a span", () => {
  const { telemetry, span, open } = kept();
  telemetry.record(parallel);
  assert.equal(open.size, 0);
  const [seconds] = span("invoke_workflow stream").startTime;
  assert.equal(new Date(seconds * 1000).toISOString(), "2026-01-02T03:04:05.000Z");
  const cut = span("chat model-C");
  assert.deepEqual(
    cut.events.filter(({ name }) => name === "duplex.interrupt").map(({ attributes }) => attributes),
    [{ "duplex.by": "D" }, { "duplex.by": "B" }],
  );
  assert.equal(cut.status.code, SpanStatusCode.UNSET);
  assert.equal(span("invoke_agent E").attributes["duplex.reason"], "skipped");
});

test("nothing that was said, asked or given as a reason is sent unless it is switched on", () => {
  const events = parallel.map((event) =>
    "text" in event
      ? { ...event, text: "canary-said" }
      : event.type === "run-start"
        ? { ...event, task: "canary-task" }
        : event,
  ) as RunEvent[];
  const note = { type: "decision", at: 165, agent: "C", seq: 9, turn: 0, by: "D", advantage: 1, chunks: 1, tokens: 1 };
  events.splice(20, 0, { ...note, ms: 1, outcome: "late", note: "canary-note" } as RunEvent);
  const sent = (content: boolean) => {
    const { telemetry, spans } = kept({ content, redact: (text) => text.replaceAll("canary-said", "canary-***") });
    telemetry.record(events);
    return JSON.stringify(spans().map(({ name, attributes, events: told }) => ({ name, attributes, told })));
  };
  assert.doesNotMatch(sent(false), /canary|enough/);
  const all = sent(true);
  for (const each of ["canary-task", "canary-note", "enough", "canary-***"]) assert.ok(all.includes(each), each);
  assert.ok(!all.includes("canary-said"));
});

test("a run that fails is an error in the call, the agent and the run, with the kind and the words of the failure", async () => {
  const clock = new VirtualClock();
  const error = new ModelError("the server answered 503", { model: "m" });
  const { events } = await play(clock, {
    agents: [agent(clock, "a", { script: () => ["so", { fail: error }] })],
    edges: [],
  });
  const { telemetry, spans, open, metric } = kept();
  telemetry.record(events);
  assert.equal(open.size, 0);
  assert.equal(spans().length, 3);
  for (const { status, attributes } of spans()) {
    assert.deepEqual(status, { code: SpanStatusCode.ERROR, message: "the server answered 503" });
    assert.equal(attributes[genAi.errorType], "ModelError");
  }
  assert.ok((await metric("gen_ai.client.operation.duration", { [genAi.errorType]: "ModelError" })) > 0);
});

test("who stops reading leaves no span open, nor does a trace that was cut off", async () => {
  const clock = new VirtualClock();
  const { telemetry, open, span } = kept();
  const reading = async () => {
    for await (const event of telemetry.watch(
      run(
        chainOf(clock, 2, () => 5),
        "go",
        { clock, splitter: byLine() },
      ),
    ))
      if (event.type === "step") break;
  };
  await clock.run(reading());
  assert.equal(open.size, 0);
  assert.equal(span("invoke_workflow stream").attributes["duplex.reason"], "unfinished");
  for (let length = 0; length <= parallel.length; length++) telemetry.record(parallel.slice(0, length));
  assert.equal(open.size, 0);
});

/** The events of a random world, with its failures, hands, dialogues and cancellations. */
async function eventsOf(seed: number): Promise<RunEvent[]> {
  const { clock, topology, options, hands, cancelAt } = world(seed);
  const caller = new AbortController();
  const events: RunEvent[] = [];
  const perform = async () => {
    const performance = run(topology, "the task", { ...options, signal: caller.signal });
    const raised = hands.map(({ at, agent: id }) => clock.sleep(at).then(() => performance.interrupt(id)));
    const cancelling = cancelAt === undefined ? [] : [clock.sleep(cancelAt).then(() => caller.abort())];
    try {
      for await (const event of performance) events.push(event);
    } catch {
      // What it failed of is in the events.
    }
    await Promise.all([...raised, ...cancelling]);
  };
  await clock.run(perform());
  return events;
}

test("60 random worlds: every span ends within its run, usage adds up, and each turn and decision has its span", async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const events = await eventsOf(seed);
    const { telemetry, spans, open, metric } = kept({ price });
    telemetry.record(events);
    assert.equal(open.size, 0, `seed ${seed}`);
    const count = (start: string) => spans().filter(({ name }) => name.startsWith(start)).length;
    const of = (type: RunEvent["type"]) => events.filter((event) => event.type === type).length;
    assert.deepEqual([count("chat"), count("decide")], [of("turn-start"), of("decision")], `seed ${seed}`);
    const { total, overrunTokens } = usageOf(events);
    const sent = ["input", "output"].map((type) => metric("gen_ai.client.token.usage", { [genAi.tokenType]: type }));
    assert.deepEqual(await Promise.all(sent), [total.inputTokens, total.outputTokens], `seed ${seed}`);
    assert.equal(await metric("duplex.tokens.overrun"), overrunTokens, `seed ${seed}`);
    assert.equal(await metric("duplex.interrupts"), of("interrupt"), `seed ${seed}`);
    const root = spans().at(-1)!;
    for (const span of spans()) {
      assert.equal(span.spanContext().traceId, root.spanContext().traceId, `seed ${seed}`);
      assert.ok(msBetween(root.startTime, span.startTime) >= 0 && msBetween(span.endTime, root.endTime) >= 0);
    }
  }
});

test("a cut after which the floor was given back was wrong; one that stands was saved tokens, once enough is known", async () => {
  const clock = new VirtualClock();
  const { telemetry, metric } = kept({ price });
  const talk = async (cuts: boolean, floorBack: boolean) => {
    const policy = { name: "cuts", decide: () => ({ advantage: cuts ? 1 : -1 }) };
    const agents = [agent(clock, "a", { says: 10 }), { ...agent(clock, "b"), policy }];
    const protocol = dialogue({ rounds: floorBack ? 2 : 1, floorBack: ({ agent: id }) => floorBack && id === "b" });
    const { events } = await play(clock, { agents, edges: [] }, { protocol, chunk: 4 });
    telemetry.record(events, { name: "talk" });
  };
  for (let each = 0; each < 5; each++) await talk(false, false);
  await talk(true, false);
  const outcome = (name: string) => metric("duplex.interrupts", { "duplex.outcome": name, "duplex.by": "agent" });
  assert.deepEqual([await outcome("saved"), await outcome("wrong")], [1, 0]);
  const saved = await metric("duplex.interrupts.saved_tokens");
  assert.ok(saved >= 5 && saved < 10, `${saved}`);
  await talk(true, true);
  assert.deepEqual([await outcome("saved"), await outcome("wrong")], [2, 1]);
  assert.ok((await metric("duplex.cost", { "duplex.currency": "USD" })) > 0);
});

test("64 agents: a span each, and their calls linked to those that they heard", async () => {
  const clock = new VirtualClock();
  const { telemetry, spans, open } = kept();
  const agents = Array.from({ length: 64 }, (_, index) => agent(clock, `a${index}`));
  const { events } = await play(clock, { agents, edges: agents.slice(1).map(({ id }) => ["a0", id] as const) });
  telemetry.record(events);
  assert.equal(open.size, 0);
  assert.equal(spans().filter(({ name }) => name.startsWith("invoke_agent")).length, 64);
  const calls = spans().filter(({ name, attributes }) => name.startsWith("chat") && attributes[genAi.agent] !== "a0");
  assert.equal(calls.length, 63);
  for (const call of calls) assert.equal(call.links.length, 1, call.name);
});

test("a chunk makes no span and costs a few microseconds at most", () => {
  const { telemetry, spans } = kept();
  const { add, end } = telemetry.begin();
  for (const event of small.slice(0, 2)) add(event);
  const chunk = small[2]!;
  for (let each = 0; each < 20_000; each++) add(chunk);
  const began = performance.now();
  for (let each = 0; each < 100_000; each++) add(chunk);
  const micros = (performance.now() - began) / 100;
  end();
  assert.equal(spans().length, 3);
  assert.ok(micros < 5, `${micros} microseconds`);
});

test("providers are guessed in OpenTelemetry's words where a model's name tells them", () => {
  const guessed = ["gpt-4.1-mini", "anthropic/claude-sonnet-4", "gemini-2.5-pro", "simulated", "qwen2.5-coder"];
  assert.deepEqual(guessed.map(providerOf), ["openai", "anthropic", "gcp.gemini", "duplex", "duplex"]);
});
