// A team as a model of the AI SDK: its LanguageModelV3, by shape alone, so that nothing of it is needed here.

import type { RunEvent } from "../core/types.ts";
import { usageFold } from "../core/usage.ts";
import { run } from "../runtime/run.ts";
import { AnswerText, ReasoningText } from "./answer-text.ts";
import { taskOf } from "./conversation.ts";
import type { Run } from "../runtime/run.ts";
import type { Team } from "./team.ts";

/** What the AI SDK calls a model with; what a team cannot do comes back as a warning. */
export type CallOptions = {
  readonly prompt: readonly {
    readonly role: string;
    readonly content: string | readonly { readonly type: string; readonly text?: string }[];
  }[];
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly seed?: number | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly [other: string]: unknown;
};

/** An option that a team has no use for. */
export type Warning = { readonly type: "unsupported"; readonly feature: string; readonly details?: string };
/** Why the answer ended. */
export type Finish = { readonly unified: "stop" | "length"; readonly raw: string | undefined };
/** Tokens, as the AI SDK counts them. */
export type Tokens = {
  readonly inputTokens: { total: number; noCache: number; cacheRead: number; cacheWrite: undefined };
  readonly outputTokens: { total: number; text: number; reasoning: number };
};
/** What Duplex tells of the run beside the answer. */
export type Metadata = { readonly duplex: { readonly run: string } };

/** A part of the stream the AI SDK reads. */
export type StreamPart =
  | { readonly type: "stream-start"; readonly warnings: Warning[] }
  | { readonly type: "response-metadata"; readonly id: string; readonly modelId: string; readonly timestamp: Date }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "error"; readonly error: unknown }
  | {
      readonly type: "finish";
      readonly usage: Tokens;
      readonly finishReason: Finish;
      readonly providerMetadata: Metadata;
    };

/** What the AI SDK takes wherever it takes a model. */
export type TeamLanguageModel = {
  readonly specificationVersion: "v3";
  readonly provider: "duplex";
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]>;
  doGenerate(options: CallOptions): Promise<{
    content: { type: "text" | "reasoning"; text: string }[];
    finishReason: Finish;
    usage: Tokens;
    warnings: Warning[];
    providerMetadata: Metadata;
    response: { id: string; modelId: string; timestamp: Date };
  }>;
  doStream(options: CallOptions): Promise<{ stream: ReadableStream<StreamPart> }>;
};

const unsupported = [
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "stopSequences",
  "tools",
  "toolChoice",
] as const;

function warningsOf(options: CallOptions): Warning[] {
  const isGiven = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  const found: Warning[] = unsupported
    .filter((name) => isGiven(options[name]))
    .map((feature) => ({ type: "unsupported", feature }));
  const format = options["responseFormat"] as { readonly type?: string } | undefined;
  if (format?.type === "json")
    found.push({ type: "unsupported", feature: "responseFormat", details: "a team answers in text" });
  return found;
}

function taskFrom({ prompt }: CallOptions): string {
  return taskOf(
    prompt.map(({ role, content }) => {
      if (typeof content === "string") return { role, text: content };
      const odd = content.find(({ type }) => type !== "text" && type !== "reasoning");
      if (odd !== undefined) throw new TypeError(`a team hears text only, and this message brings "${odd.type}"`);
      return { role, text: content.flatMap(({ type, text = "" }) => (type === "text" ? [text] : [])).join("") };
    }),
  );
}

/** A run told in pieces of text. */
class Telling {
  readonly answer: AnswerText;
  readonly #reasoning: ReasoningText | undefined;
  readonly #usage = usageFold();

  constructor({ answer, reasoning = false }: Team) {
    this.answer = new AnswerText(answer);
    this.#reasoning = reasoning ? new ReasoningText(this.answer) : undefined;
  }

  add(event: RunEvent): { readonly text: string; readonly reasoning: string } {
    this.#usage.add(event);
    return { text: this.answer.add(event), reasoning: this.#reasoning?.add(event) ?? "" };
  }

  end(id: string): { usage: Tokens; finishReason: Finish; providerMetadata: Metadata } {
    const { total, agents } = this.#usage.result();
    const text = [...this.answer.sinks].reduce((sum, agent) => sum + (agents.get(agent)?.outputTokens ?? 0), 0);
    const { inputTokens, cachedTokens, outputTokens } = total;
    const reason = this.answer.cutOff ? "length" : "stop";
    return {
      usage: {
        inputTokens: {
          total: inputTokens,
          noCache: inputTokens - cachedTokens,
          cacheRead: cachedTokens,
          cacheWrite: undefined,
        },
        outputTokens: { total: outputTokens, text, reasoning: outputTokens - text },
      },
      finishReason: { unified: reason, raw: reason },
      providerMetadata: { duplex: { run: id } },
    };
  }
}

function playing(team: Team, options: CallOptions) {
  const { maxOutputTokens: maxTokens, temperature, seed, abortSignal: signal } = options;
  const given = Object.fromEntries(
    Object.entries({ maxTokens, temperature, seed, signal }).filter(([, value]) => value !== undefined),
  );
  return run(team.topology, taskFrom(options), { ...team.options, ...given });
}

/** Opens and closes the two kinds of text as they come. */
class Blocks {
  readonly #send: (part: StreamPart) => void;
  readonly #open = new Set<"text" | "reasoning">();
  constructor(send: (part: StreamPart) => void) {
    this.#send = send;
  }

  say(kind: "text" | "reasoning", delta: string): void {
    if (delta === "") return;
    if (!this.#open.has(kind)) this.#send({ type: `${kind}-start`, id: kind });
    this.#open.add(kind);
    this.#send({ type: `${kind}-delta`, id: kind, delta });
  }

  end(): void {
    for (const kind of this.#open) this.#send({ type: `${kind}-end`, id: kind });
    this.#open.clear();
  }
}

type Call = { readonly play: Run; readonly options: CallOptions; readonly modelId: string };

async function* told(team: Team, { play, options, modelId }: Call): AsyncGenerator<StreamPart, void, undefined> {
  const telling = new Telling(team);
  let waiting: StreamPart[] = [];
  const blocks = new Blocks((part) => void waiting.push(part));
  const flush = () => {
    const parts = waiting;
    waiting = [];
    return parts;
  };
  yield { type: "stream-start", warnings: warningsOf(options) };
  yield { type: "response-metadata", id: play.id, modelId, timestamp: new Date() };
  try {
    for await (const event of play) {
      const { text, reasoning } = telling.add(event);
      blocks.say("reasoning", reasoning);
      blocks.say("text", text);
      yield* flush();
    }
    blocks.say("text", telling.answer.end());
    blocks.end();
    yield* flush();
    yield { type: "finish", ...telling.end(play.id) };
  } catch (error) {
    if (options.abortSignal?.aborted === true) throw error;
    yield { type: "error", error };
  }
}

/**
 * A team as a model of the AI SDK (v6 and later: `generateText`, `streamText`), under this name. An abort ends the whole run, and
 * so does leaving the stream; what the other agents say is reasoning where the team shows it.
 */
export function asLanguageModel(team: Team, modelId = "team"): TeamLanguageModel {
  return {
    specificationVersion: "v3",
    provider: "duplex",
    modelId,
    supportedUrls: {},
    async doGenerate(options) {
      const play = playing(team, options);
      const telling = new Telling(team);
      let [text, reasoning] = ["", ""];
      for await (const event of play) {
        const more = telling.add(event);
        text += more.text;
        reasoning += more.reasoning;
      }
      text += telling.answer.end();
      return {
        content: [
          ...(reasoning === "" ? [] : [{ type: "reasoning" as const, text: reasoning }]),
          { type: "text", text },
        ],
        warnings: warningsOf(options),
        ...telling.end(play.id),
        response: { id: play.id, modelId, timestamp: new Date() },
      };
    },
    async doStream(options) {
      // Nothing begins before the stream is read; what is wrong with the call is told now.
      const parts = told(team, { play: playing(team, options), options, modelId });
      const pull = async (controller: ReadableStreamDefaultController<StreamPart>) => {
        const { value, done } = await parts.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      };
      return {
        stream: new ReadableStream({ pull, cancel: async () => void (await parts.return()) }, { highWaterMark: 0 }),
      };
    },
  };
}
