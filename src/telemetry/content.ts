// What was said, for those who want it in their spans; else nothing of it is kept.

import type { Attributes } from "@opentelemetry/api";
import { answer } from "../core/transcript.ts";
import type { Heard, RunEvent, RunStart } from "../core/types.ts";
import { genAi } from "./names.ts";

type Part = { readonly type: "text" | "reasoning"; readonly content: string };

/** Texts of a run as attributes of its spans. */
export class Content {
  readonly #redact: (text: string) => string;
  readonly #task: string;
  readonly #steps = new Map<string, string>();
  readonly #told = new Set<string>();
  /** What the answer is computed from. */
  readonly #events: RunEvent[];

  constructor(start: RunStart, redact: (text: string) => string) {
    this.#task = start.task;
    this.#events = [start];
    this.#redact = redact;
  }

  /** The task, on the run's span. */
  task(): Attributes {
    return { [genAi.input]: this.#messages("user", [{ type: "text", content: this.#task }]) };
  }

  keep(event: RunEvent): void {
    if (event.type === "step") this.#steps.set(`${event.agent}\n${event.index}`, event.text);
    if (event.type === "step" || event.type === "route" || event.type === "run-end") this.#events.push(event);
  }

  /** The run's answer as far as there is one. */
  answer(): Attributes {
    const text = answer(this.#events);
    return text === "" ? {} : this.said(text, { finish: "stop" });
  }

  /** What is new to an agent in a call: the task in its first, and the steps it heard. */
  heard(agent: string, heard: readonly Heard[]): Attributes {
    const task = this.#told.has(agent) ? [] : [this.#task];
    this.#told.add(agent);
    const steps = heard.map(([speaker, index]) => `${speaker}: ${this.#steps.get(`${speaker}\n${index}`) ?? ""}`);
    const parts = [...task, ...steps].map((content): Part => ({ type: "text", content }));
    return parts.length === 0 ? {} : { [genAi.input]: this.#messages("user", parts) };
  }

  said(text: string, { reasoning = "", finish }: { readonly reasoning?: string; readonly finish: string }): Attributes {
    const thought: Part[] = reasoning === "" ? [] : [{ type: "reasoning", content: reasoning }];
    const parts: Part[] = [...thought, { type: "text", content: text }];
    return { [genAi.output]: this.#messages("assistant", parts, finish) };
  }

  #messages(role: string, parts: readonly Part[], finish?: string): string {
    return this.#redact(JSON.stringify([{ role, parts, ...(finish === undefined ? {} : { finish_reason: finish }) }]));
  }
}
