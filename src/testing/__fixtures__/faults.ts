import { ModelError } from "../../base/errors.ts";
import type { EndReason, Model, ModelPart, ModelRequest } from "../../core/types.ts";
import type { Behaviour } from "../model-suite.ts";

type Parts = AsyncGenerator<ModelPart, void, undefined>;

const tick = () => new Promise((resolve) => setImmediate(resolve));

const end = (reason: EndReason, outputTokens: number): ModelPart => ({
  type: "end",
  reason,
  usage: { calls: 1, inputTokens: 9, cachedTokens: 0, outputTokens },
});

async function* speak(behaviour: Behaviour, { signal }: ModelRequest): Parts {
  const texts = behaviour === "slow" ? 500 : behaviour === "silent" ? 0 : 3;
  for (let said = 0; said < texts; said++) {
    if (signal?.aborted === true) return yield end("interrupted", said);
    yield { type: "text", text: ` word${said}`, tokens: 1 };
    await tick();
  }
  while (behaviour === "silent" && signal?.aborted !== true) await tick();
  if (behaviour === "fail" || behaviour === "stall") throw new ModelError("it failed", { model: "m" });
  yield end(behaviour === "silent" ? "interrupted" : behaviour === "close" ? "truncated" : "stop", texts);
}

/** A model that behaves as it should. */
export const sound = (behaviour: Behaviour): Model => ({
  id: "sound",
  stream: (request) => speak(behaviour, request),
});

type Spoil = (model: Model, request: ModelRequest) => Parts;

/** Each part becomes those that `change` makes of it. */
const changing = (change: (part: ModelPart) => readonly ModelPart[]): Spoil =>
  async function* (model, request) {
    for await (const part of model.stream(request)) yield* change(part);
  };

const ends = (change: (part: Extract<ModelPart, { type: "end" }>) => readonly ModelPart[]): Spoil =>
  changing((part) => (part.type === "end" ? change(part) : [part]));

const swallowing: Spoil = async function* (model, request) {
  try {
    yield* model.stream(request);
  } catch {
    yield end("stop", 3);
  }
};

const deaf: Spoil = async function* (model, request) {
  yield* model.stream({ ...request, signal: undefined });
};

let words = 0;

/** What can be wrong with a model: how to make it so, and the case of the suite that has to find it. */
export const faults: readonly (readonly [fault: string, found: string, spoil: Spoil])[] = [
  ["ends twice", "says text, then exactly one end", ends((part) => [part, part])],
  ["speaks after its end", "says text, then exactly one end", ends((part) => [part, { type: "text", text: "more" }])],
  ["says empty texts", "says text, then exactly one end", ends((part) => [{ type: "text", text: "" }, part])],
  ["waits without end", "says text, then exactly one end", ends((part) => [{ type: "wait" }, part])],
  [
    "charges less than it says",
    "charges one call, and at least the tokens it says its texts took",
    ends(({ reason }) => [end(reason, 1)]),
  ],
  [
    "mixes its streams",
    "two streams at once do not mix",
    changing((part) => [part.type === "text" ? { ...part, text: ` word${words++}` } : part]),
  ],
  [
    "keeps listening",
    "many calls leave no listener on their signal",
    async function* (model, request) {
      request.signal?.addEventListener("abort", () => {});
      yield* model.stream(request);
    },
  ],
  ["is deaf", "aborted in the middle, it ends at once and says what it cost", deaf],
  ["does not look before it speaks", "aborted before it starts, it says nothing", deaf],
  [
    "forgets what a cut cost",
    "aborted in the middle, it ends at once and says what it cost",
    ends(({ reason }) => [end(reason, 0)]),
  ],
  ["calls silence a success", "a stream that stalls fails by its idle time-out", swallowing],
  ["calls a failure a success", "a failure in the middle is thrown after what was said", swallowing],
  [
    "calls a lost end a success",
    "a stream that closes without its end is truncated or fails, and is never a success",
    ends((part) => [{ ...part, reason: "stop" }]),
  ],
  [
    "ends without an end",
    "a stream that closes without its end is truncated or fails, and is never a success",
    ends(() => []),
  ],
];
