// One agent's part of a run: its span, and in it its turns.

import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Attributes, Context, HrTime, Link, Span, SpanContext, Tracer } from "@opentelemetry/api";
import type { AgentEnd, EventOf, Failure, RunStart, TurnEnd, Usage } from "../core/types.ts";
import { add, none } from "../core/usage.ts";
import type { Price } from "../core/usage.ts";
import type { Content } from "./content.ts";
import { countUsage } from "./measures.ts";
import type { Habits, HandOutcome, Instruments } from "./measures.ts";
import { genAi } from "./names.ts";

/** What all runs share. */
export type Kit = {
  readonly tracer: Tracer;
  readonly measures: Instruments;
  readonly habits: Habits;
  readonly content: boolean;
  readonly provider: (model: string) => string;
  readonly price: (model: string) => Price | undefined;
  readonly redact: (text: string) => string;
};

/** What the agents of one run share. */
export type Cast = {
  readonly kit: Kit;
  readonly start: RunStart;
  readonly name: string;
  /** The run's span as a parent. */
  readonly context: Context;
  readonly moment: (at: number) => HrTime;
  readonly content: Content | undefined;
  readonly agents: ReadonlyMap<string, AgentSpans>;
};

type Turn = {
  readonly span: Span;
  readonly start: number;
  firstChunk: number | undefined;
  chunks: number;
  steps: number;
  text: string;
  reasoning: string;
};

type Ended = { readonly span: Span; readonly start: number; readonly at: number; readonly agent: string };
type Said = { readonly at: number; readonly turn: SpanContext };
type Hand = { readonly turn: number | undefined; readonly byAgent: boolean; cut: boolean; tokens: number };

export const tokensOf = ({ inputTokens, cachedTokens, outputTokens }: Usage): Attributes => ({
  [genAi.inputTokens]: inputTokens,
  [genAi.cachedTokens]: cachedTokens,
  [genAi.outputTokens]: outputTokens,
});

const longest = 500;

/** Marks a span as failed, with what the failure said of itself. */
export function fail(span: Span, { name, message }: Failure, redact: Kit["redact"]): void {
  const text = redact(message);
  span.setAttribute(genAi.errorType, name);
  span.setStatus({
    code: SpanStatusCode.ERROR,
    message: text.length > longest ? `${text.slice(0, longest)}...` : text,
  });
}

const unknown: Failure = { name: "_OTHER", message: "" };

/** The spans of one agent; it has one from its first event to its end. */
export class AgentSpans {
  readonly #cast: Cast;
  readonly #id: string;
  readonly #about: Attributes;
  readonly #model: string;
  readonly #steps = new Map<number, Said>();
  readonly #turns = new Map<number, SpanContext>();
  readonly #resumed = new Set<number>();
  readonly #hands: Hand[] = [];
  #span: Span | undefined;
  #over = false;
  #turn: Turn | undefined;
  /** A turn that failed, which is told why when its agent ends. */
  #failed: Ended | undefined;
  #usage = none;

  constructor(cast: Cast, { id, model }: { readonly id: string; readonly model: string }) {
    this.#cast = cast;
    this.#id = id;
    this.#model = model;
    this.#about = { [genAi.provider]: cast.kit.provider(model), [genAi.model]: model };
  }

  /** The agent's span as a parent; it begins now where it has not. */
  context(at: number): Context {
    return trace.setSpan(this.#cast.context, this.#open(at));
  }

  /** The turn of a number, for links to it. */
  turn(turn: number): SpanContext | undefined {
    return this.#turns.get(turn);
  }

  step(index: number): Said | undefined {
    return this.#steps.get(index);
  }

  #open(at: number): Span {
    const { kit, context, moment } = this.#cast;
    this.#span ??= kit.tracer.startSpan(
      `invoke_agent ${this.#id}`,
      {
        kind: SpanKind.INTERNAL,
        startTime: moment(at),
        attributes: { [genAi.operation]: "invoke_agent", [genAi.agent]: this.#id, ...this.#about },
      },
      context,
    );
    return this.#span;
  }

  turnStart({ at, turn, heard, resumes }: EventOf<"turn-start">): void {
    const { kit, moment, content, agents } = this.#cast;
    const links: Link[] = [];
    const picked = heard.map(([speaker, index]) => ({ speaker, index, said: agents.get(speaker)?.step(index) }));
    for (const context of new Set(picked.map(({ said }) => said?.turn)))
      if (context !== undefined) links.push({ context, attributes: { "duplex.link": "heard" } });
    const resumed = resumes === undefined ? undefined : this.#turns.get(resumes);
    if (resumed !== undefined) links.push({ context: resumed, attributes: { "duplex.link": "resumes" } });
    if (resumes !== undefined) this.#resumed.add(resumes);
    const attributes = {
      [genAi.operation]: "chat",
      [genAi.stream]: true,
      [genAi.agent]: this.#id,
      ...this.#about,
      "duplex.turn": turn,
      ...content?.heard(this.#id, heard),
    };
    const options = { kind: SpanKind.CLIENT, startTime: moment(at), attributes, links };
    const span = kit.tracer.startSpan(`chat ${this.#model}`, options, this.context(at));
    for (const { speaker, index, said } of picked) {
      const waited = said === undefined ? {} : { "duplex.waited": (at - said.at) / 1000 };
      span.addEvent("duplex.pick_up", { "duplex.speaker": speaker, "duplex.step": index, ...waited }, moment(at));
    }
    this.#turns.set(turn, span.spanContext());
    this.#turn = { span, start: at, firstChunk: undefined, chunks: 0, steps: 0, text: "", reasoning: "" };
  }

  chunk(event: EventOf<"chunk">): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    turn.firstChunk ??= event.at;
    turn.chunks++;
    if (this.#cast.content !== undefined) turn.text += event.text;
  }

  reasoning(event: EventOf<"reasoning">): void {
    if (this.#turn !== undefined && this.#cast.content !== undefined) this.#turn.reasoning += event.text;
  }

  said({ at, index, turn, cut }: EventOf<"step">): void {
    const context = this.#turns.get(turn);
    if (context !== undefined) this.#steps.set(index, { at, turn: context });
    if (this.#turn === undefined) return;
    this.#turn.steps++;
    this.#tell("duplex.step", at, { "duplex.step": index, ...(cut === true ? { "duplex.cut": true } : {}) });
  }

  left({ at, listener }: EventOf<"leave">): void {
    this.#tell("duplex.leave", at, { "duplex.listener": listener });
  }

  interrupt({ at, by, turn, reason }: EventOf<"interrupt">): void {
    const { content, kit, agents } = this.#cast;
    const why = content === undefined || reason === undefined ? {} : { "duplex.reason": kit.redact(reason) };
    this.#tell("duplex.interrupt", at, { "duplex.by": by, ...why });
    this.#hands.push({ turn, byAgent: agents.has(by), cut: !this.#over && turn === undefined, tokens: 0 });
  }

  /** An event on the turn in progress, else on the agent, else nowhere: what has ended takes no more. */
  #tell(name: string, at: number, attributes: Attributes): void {
    const span = this.#turn?.span ?? (this.#over ? undefined : this.#open(at));
    span?.addEvent(name, attributes, this.#cast.moment(at));
  }

  turnEnd({ at, reason, usage, turn, waitedMs, overrunTokens }: TurnEnd): void {
    const open = this.#turn;
    if (open === undefined) return;
    this.#turn = undefined;
    const { kit, content, name } = this.#cast;
    const { span, start, firstChunk } = open;
    span.setAttributes({
      ...tokensOf(usage),
      [genAi.finishReasons]: [reason],
      "duplex.chunks": open.chunks,
      "duplex.steps": open.steps,
      ...(usage.estimated === true ? { "duplex.usage.estimated": true } : {}),
      ...(firstChunk === undefined ? {} : { [genAi.firstChunk]: (firstChunk - start) / 1000 }),
      ...(waitedMs === undefined ? {} : { "duplex.waited": waitedMs / 1000 }),
      ...(overrunTokens === undefined ? {} : { "duplex.tokens.overrun": overrunTokens }),
      ...content?.said(open.text, { reasoning: open.reasoning, finish: reason }),
    });
    this.charge(usage, this.#chat);
    if (firstChunk !== undefined) kit.measures.firstChunk.record((firstChunk - start) / 1000, this.#chat);
    if (overrunTokens !== undefined && overrunTokens > 0) kit.measures.overrun.add(overrunTokens, this.#chat);
    if (reason === "stop") kit.habits.learn(`${name}\n${this.#id}`, usage.outputTokens);
    const first = this.#hands.find((hand) => hand.turn === turn);
    if (first !== undefined && reason === "interrupted") {
      first.cut = true;
      first.tokens = usage.outputTokens;
    }
    const ended = { span, start, at, agent: this.#id };
    if (reason === "failed") this.#failed = ended;
    else this.#close(ended, reason === "truncated" ? { name: reason, message: "the stream had no end" } : undefined);
  }

  get #chat(): Attributes {
    return { [genAi.operation]: "chat", ...this.#about };
  }

  #close({ span, start, at }: Ended, failure: Failure | undefined): void {
    const { kit, moment } = this.#cast;
    if (failure !== undefined) fail(span, failure, kit.redact);
    span.end(moment(at));
    const error = failure === undefined ? {} : { [genAi.errorType]: failure.name };
    kit.measures.duration.record((at - start) / 1000, { ...this.#chat, ...error });
  }

  /** Counts what a call or a decision of the agent took. */
  charge(usage: Usage, about: Attributes): void {
    const { kit } = this.#cast;
    this.#usage = add(this.#usage, usage);
    countUsage(kit.measures, usage, { about: { ...this.#about, ...about }, price: kit.price(this.#model) });
  }

  agentEnd({ at, reason, error }: Pick<AgentEnd, "at" | "reason" | "error">): void {
    this.#finish(at, { reason, error: error ?? (reason === "failed" ? unknown : undefined) });
  }

  /** Closes what is open once no more events come; `failure` where that was one. */
  end(at: number, failure: Failure | undefined): void {
    if (this.#span !== undefined) this.#finish(at, { reason: "unfinished", error: failure });
  }

  #finish(at: number, { reason, error }: { readonly reason: string; readonly error: Failure | undefined }): void {
    if (this.#over) return;
    const { kit, moment } = this.#cast;
    const span = this.#open(at);
    if (this.#turn !== undefined) this.#close({ ...this.#turn, at, agent: this.#id }, error);
    if (this.#failed !== undefined) this.#close(this.#failed, error ?? unknown);
    this.#turn = undefined;
    this.#failed = undefined;
    this.#over = true;
    span.setAttributes({ ...tokensOf(this.#usage), "duplex.reason": reason });
    if (error !== undefined) fail(span, error, kit.redact);
    span.end(moment(at));
  }

  /** What became of the hands raised against this agent, once the run is over. */
  judge(done: boolean): void {
    const { kit, name } = this.#cast;
    for (const { turn, byAgent, cut, tokens } of this.#hands) {
      const wrong = turn !== undefined && this.#resumed.has(turn);
      const outcome: HandOutcome = !cut ? "late" : wrong ? "wrong" : done ? "saved" : "unjudged";
      kit.measures.interrupts.add(1, {
        [genAi.workflow]: name,
        "duplex.by": byAgent ? "agent" : "person",
        "duplex.outcome": outcome,
      });
      const saved = turn === undefined ? undefined : kit.habits.saved(`${name}\n${this.#id}`, tokens);
      if (outcome === "saved" && saved !== undefined && saved > 0)
        kit.measures.saved.add(saved, { [genAi.workflow]: name, ...this.#about });
    }
  }
}
