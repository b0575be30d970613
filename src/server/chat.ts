// `/v1/chat/completions`: a run as one answer, whole or streamed.

import type { RunEvent } from "../core/types.ts";
import type { Usage } from "../core/types.ts";
import { AnswerText, ReasoningText, Stops } from "./answer-text.ts";
import type { Asked } from "./chat-request.ts";
import { bodyOf, toHttp } from "./failure.ts";
import type { Entry } from "./runs.ts";
import type { Service } from "./service.ts";
import { sseEvent, sseHeaders, sseStream } from "./sse.ts";
import type { Team } from "./team.ts";

/** What a run says, in the two kinds of text a client knows. */
export class Speech {
  readonly #answer: AnswerText;
  readonly #reasoning: ReasoningText | undefined;
  readonly #stops: Stops;
  readonly #entry: Entry;

  constructor(entry: Entry, team: Team, { stop, reasoning }: Pick<Asked, "stop" | "reasoning">) {
    this.#entry = entry;
    this.#answer = new AnswerText(team.answer);
    this.#stops = new Stops(stop);
    const shown = reasoning ?? team.reasoning ?? false;
    this.#reasoning = shown ? new ReasoningText(this.#answer) : undefined;
  }

  answer(event: RunEvent): string {
    return this.#stopped(this.#stops.push(this.#answer.add(event)));
  }

  reasoning(event: RunEvent): string {
    return this.#reasoning?.add(event) ?? "";
  }

  /** The rest of the answer, once the run is over. */
  end(): string {
    return this.#stops.push(this.#answer.end()) + this.#stops.end();
  }

  /** Whether the answer is whole: at its end, or at a stop sequence, after which the run is not needed any more. */
  get whole(): boolean {
    return this.#stops.found || this.#entry.tape.failure === undefined;
  }

  get finish(): "stop" | "length" {
    return !this.#stops.found && this.#answer.cutOff ? "length" : "stop";
  }

  /** Calls and tokens of all agents; those of agents that are not the answer count as reasoning. */
  usage(): { readonly total: Usage; readonly reasoning: number } {
    const { total, agents } = this.#entry.usage();
    const answering = [...this.#answer.sinks].reduce((sum, id) => sum + (agents.get(id)?.outputTokens ?? 0), 0);
    return { total, reasoning: total.outputTokens - answering };
  }

  #stopped(text: string): string {
    if (this.#stops.found) this.#entry.cancel("the answer reached a stop sequence");
    return text;
  }
}

function wireUsage(speech: Speech) {
  const { total, reasoning } = speech.usage();
  return {
    prompt_tokens: total.inputTokens,
    completion_tokens: total.outputTokens,
    total_tokens: total.inputTokens + total.outputTokens,
    prompt_tokens_details: { cached_tokens: total.cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

const headOf = ({ id, started, team }: Entry) => ({
  id: `chatcmpl-${id}`,
  created: Math.floor(started / 1000),
  model: team,
});

/** The header by which a client finds the trace of its run. */
export const runHeader = ({ id }: Entry) => ({ "x-duplex-run": id });

type Call = { readonly entry: Entry; readonly team: Team; readonly asked: Asked };

/** The answer once the run is over. Rejects with the run's failure. */
export async function whole({ entry, team, asked }: Call): Promise<Response> {
  const speech = new Speech(entry, team, asked);
  let content = "";
  let reasoning = "";
  let read = 0;
  const readOn = () => {
    for (const { events } = entry.tape; read < events.length; read++) {
      const event = events[read] as RunEvent;
      content += speech.answer(event);
      reasoning += speech.reasoning(event);
    }
  };
  await entry.tape.until(() => {
    readOn();
    return entry.tape.ended;
  });
  await entry.over;
  if (!speech.whole) throw entry.tape.failure?.error;
  content += speech.end();
  const message = {
    role: "assistant",
    content,
    refusal: null,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: speech.finish }];
  const body = { ...headOf(entry), object: "chat.completion", choices, usage: wireUsage(speech) };
  return Response.json(body, { headers: runHeader(entry) });
}

/** The answer as it is said. A failure comes as an event with an `error`, and then no `[DONE]`. */
export function streamed({ entry, team, asked }: Call, { options, redact }: Service): Response {
  const speech = new Speech(entry, team, asked);
  const head = { ...headOf(entry), object: "chat.completion.chunk" };
  const chunk = (delta: object, finish: string | null = null): string =>
    sseEvent({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  // Encoded once: only the text differs from token to token.
  const [before = "", after = ""] = chunk({ content: "\0" }).split(JSON.stringify("\0"));
  const content = (text: string) => (text === "" ? "" : before + JSON.stringify(text) + after);
  const thought = (text: string) => (text === "" ? "" : chunk({ reasoning_content: text }));
  const encode = (event: RunEvent, index: number): string => {
    const said = content(speech.answer(event)) + thought(speech.reasoning(event));
    return index === 0 ? chunk({ role: "assistant", content: "" }) + said : said;
  };
  const end = (): string => {
    if (!speech.whole) return sseEvent(bodyOf(toHttp(entry.tape.failure?.error), redact));
    const usage = asked.includeUsage ? sseEvent({ ...head, choices: [], usage: wireUsage(speech) }) : "";
    return `${content(speech.end())}${chunk({}, speech.finish)}${usage}data: [DONE]\n\n`;
  };
  const { clock, keepAliveMs } = options;
  const onLeave = () => entry.cancel("the client left");
  const stream = sseStream({ tape: entry.tape, encode, end, clock, keepAliveMs, onLeave });
  return new Response(stream, { headers: { ...sseHeaders, ...runHeader(entry) } });
}
