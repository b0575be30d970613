// One run as spans: the run, in it its agents, in them their turns and decisions.

import { SpanKind, trace } from "@opentelemetry/api";
import type { Attributes, Context, HrTime, Span } from "@opentelemetry/api";
import { explain } from "../base/errors.ts";
import type { DecisionEvent, Failure, RunEnd, RunEvent, RunStart } from "../core/types.ts";
import { usageFold } from "../core/usage.ts";
import { AgentSpans, fail, tokensOf } from "./agent-spans.ts";
import type { Cast, Kit } from "./agent-spans.ts";
import { Content } from "./content.ts";
import { momentsFrom } from "./moments.ts";
import { genAi } from "./names.ts";

/** How a decision that did not come about is told. */
const missed: Partial<Record<DecisionEvent["outcome"], Failure>> = {
  failed: { name: "_OTHER", message: "the policy failed, which means wait" },
  timeout: { name: "timeout", message: "no answer in time, which means wait" },
};

/** The spans of one run. */
export class RunSpans {
  readonly #kit: Kit;
  readonly #name: string;
  readonly #span: Span;
  readonly #context: Context;
  readonly #moment: (at: number) => HrTime;
  readonly #content: Content | undefined;
  readonly #agents = new Map<string, AgentSpans>();
  readonly #usage = usageFold();
  #firstChunk: number | undefined;
  #last = 0;
  #over = false;

  constructor(kit: Kit, start: RunStart, { name, parent }: { readonly name: string; readonly parent: Context }) {
    this.#kit = kit;
    this.#name = name;
    const date = start.date === undefined ? Number.NaN : Date.parse(start.date);
    this.#moment = momentsFrom(Number.isNaN(date) ? Date.now() : date);
    this.#content = kit.content ? new Content(start, kit.redact) : undefined;
    const attributes = {
      [genAi.operation]: "invoke_workflow",
      [genAi.workflow]: name,
      "duplex.run": start.run,
      "duplex.protocol": start.protocol,
      "duplex.join": start.join,
      "duplex.hear": start.hear,
      "duplex.agents": start.agents.length,
      "duplex.edges": start.edges.length,
      ...(start.simulated === true ? { "duplex.simulated": true } : {}),
      ...this.#content?.task(),
    };
    const options = { kind: SpanKind.INTERNAL, startTime: this.#moment(0), attributes };
    this.#span = kit.tracer.startSpan(`invoke_workflow ${name}`, options, parent);
    this.#context = trace.setSpan(parent, this.#span);
    this.#usage.add(start);
    const cast: Cast = {
      kit,
      start,
      name,
      context: this.#context,
      moment: this.#moment,
      content: this.#content,
      agents: this.#agents,
    };
    for (const agent of start.agents) this.#agents.set(agent.id, new AgentSpans(cast, agent));
  }

  add(event: RunEvent): void {
    if (this.#over) return;
    this.#last = event.at;
    if (event.type === "chunk") {
      // The one that comes in thousands.
      this.#firstChunk ??= event.at;
      this.#agents.get(event.agent)?.chunk(event);
      return;
    }
    this.#usage.add(event);
    this.#content?.keep(event);
    if (event.type === "run-end") this.#end(event);
    else if (event.type === "decision") this.#decide(event);
    else if ("agent" in event) this.#tell(event, this.#agents.get(event.agent));
  }

  #tell(event: Exclude<RunEvent, RunStart | RunEnd>, agent: AgentSpans | undefined): void {
    if (event.type === "turn-start") agent?.turnStart(event);
    else if (event.type === "reasoning") agent?.reasoning(event);
    else if (event.type === "step") agent?.said(event);
    else if (event.type === "leave") agent?.left(event);
    else if (event.type === "interrupt") agent?.interrupt(event);
    else if (event.type === "turn-end") agent?.turnEnd(event);
    else if (event.type === "agent-end") agent?.agentEnd(event);
  }

  #decide(event: DecisionEvent): void {
    const { at, agent, by, turn, ms, outcome, usage, note } = event;
    const listener = this.#agents.get(by);
    const context = this.#agents.get(agent)?.turn(turn);
    const attributes: Attributes = {
      [genAi.operation]: "decide",
      [genAi.agent]: by,
      "duplex.speaker": agent,
      "duplex.turn": turn,
      "duplex.outcome": outcome,
      "duplex.advantage": event.advantage,
      "duplex.chunks": event.chunks,
      "duplex.tokens": event.tokens,
      ...(event.probability === undefined ? {} : { "duplex.probability": event.probability }),
      ...(usage === undefined ? {} : tokensOf(usage)),
      ...(this.#content === undefined || note === undefined ? {} : { "duplex.note": this.#kit.redact(note) }),
    };
    const began = Math.max(0, at - ms);
    const span = this.#kit.tracer.startSpan(
      `decide ${by}`,
      {
        kind: SpanKind.INTERNAL,
        startTime: this.#moment(began),
        attributes,
        links: context === undefined ? [] : [{ context, attributes: { "duplex.link": "heard" } }],
      },
      listener?.context(began) ?? this.#context,
    );
    const failure = missed[outcome];
    if (failure !== undefined) fail(span, failure, this.#kit.redact);
    span.end(this.#moment(at));
    if (usage !== undefined) listener?.charge(usage, { [genAi.operation]: "decide" });
  }

  #end({ at, reason, error }: RunEnd): void {
    this.#close(at, { reason, error: error ?? (reason === "failed" ? { name: "_OTHER", message: "" } : undefined) });
  }

  /** No more events will come. A run without an end is told as unfinished, or as failed where there is an error. */
  end(error?: unknown): void {
    if (error === undefined) this.#close(this.#last, { reason: "unfinished", error: undefined });
    else {
      const { name, message } = error instanceof Error ? error : { name: "Error", message: explain(error) };
      this.#close(this.#last, { reason: "failed", error: { name, message } });
    }
  }

  #close(at: number, { reason, error }: { readonly reason: string; readonly error: Failure | undefined }): void {
    if (this.#over) return;
    this.#over = true;
    for (const agent of this.#agents.values()) {
      agent.end(at, error);
      agent.judge(reason === "done");
    }
    const { total, decisions, overrunTokens, interrupts } = this.#usage.result();
    this.#span.setAttributes({
      "duplex.reason": reason,
      "duplex.calls": total.calls,
      "duplex.tokens.input": total.inputTokens,
      "duplex.tokens.cached": total.cachedTokens,
      "duplex.tokens.output": total.outputTokens,
      "duplex.tokens.decisions": decisions.inputTokens + decisions.outputTokens,
      "duplex.tokens.overrun": overrunTokens,
      "duplex.interrupts": interrupts,
      ...this.#content?.answer(),
    });
    if (error !== undefined) fail(this.#span, error, this.#kit.redact);
    this.#span.end(this.#moment(at));
    const about = { [genAi.workflow]: this.#name, "duplex.reason": reason };
    const failed = error === undefined ? {} : { [genAi.errorType]: error.name };
    this.#kit.measures.runDuration.record(at / 1000, { ...about, ...failed });
    if (this.#firstChunk !== undefined)
      this.#kit.measures.runFirstChunk.record(this.#firstChunk / 1000, { [genAi.workflow]: this.#name });
  }
}
