import type { Clock } from "../base/clock.ts";
import type { Model, ModelPart, ModelRequest, Usage } from "../core/types.ts";

/** What a scripted call does: says texts, waits, stalls for ever, fails, or closes without an end. */
export type Line = string | { readonly wait: number } | { readonly fail: Error } | { readonly do: "stall" | "close" };

/** A model that says its script, and remembers what it was asked. */
export type ScriptedModel = Model & {
  /** The requests so far, as they were made. */
  readonly requests: readonly ModelRequest[];
  /** The usage charged so far. */
  readonly charged: readonly Usage[];
};

const forEver = 2 ** 40;

/**
 * A model that plays a script: for the call numbered `call` (from 0) a list of lines, each text `ms` apart. A token a text;
 * input tokens are the characters of the request. Throws when `script` does.
 */
export function scripted(
  clock: Clock,
  script: (call: number, request: ModelRequest) => readonly Line[],
  { ms = 0, id = "scripted" }: { ms?: number; id?: string } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const charged: Usage[] = [];
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    const lines = script(requests.length, request);
    requests.push(request);
    const inputTokens = request.messages.reduce((sum, { content }) => sum + content.length, 0);
    let outputTokens = 0;
    const end = (reason: "stop" | "interrupted"): ModelPart => {
      const usage = { calls: 1, inputTokens, cachedTokens: 0, outputTokens };
      charged.push(usage);
      return { type: "end", reason, usage };
    };
    for (const line of lines) {
      if (typeof line === "object" && "fail" in line) throw line.fail;
      if (typeof line === "object" && "do" in line && line.do === "close") return;
      const pause = typeof line === "string" ? ms : "wait" in line ? line.wait : forEver;
      if (pause > 0) await clock.sleep(pause, request.signal);
      if (request.signal?.aborted === true) {
        yield end("interrupted");
        return;
      }
      if (typeof line !== "string") continue;
      outputTokens++;
      yield { type: "text", text: line, tokens: 1 };
    }
    yield end("stop");
  }
  return { id, stream, requests, charged };
}
