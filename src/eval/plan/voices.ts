// The schedules of the theory for agents that are all alike, once for a shape and all its sizes: a plan looks at
// thousands of teams, and a chain of 64 agents begins with all shorter ones.

/** What a call costs in time (milliseconds, and milliseconds a token) and how long messages are (tokens). */
export type Load = {
  readonly firstMs: number;
  readonly uncachedMs: number;
  readonly cachedMs: number;
  readonly outputMs: number;
  readonly prompt: number;
  readonly listenerPrompt: number;
  /** Output of a step of a first speaker, and of a listener. */
  readonly step: number;
  readonly reply: number;
  /** What a heard step weighs beside its text. */
  readonly heard: number;
  readonly cache: "off" | "request" | "conversation";
  readonly cacheMinimum: number;
};

/** How listeners hear: whole messages (`serial`, cut after so many steps), or steps. */
export type Manner =
  | { readonly protocol: "single" }
  | { readonly protocol: "serial"; readonly after?: number | undefined }
  | { readonly protocol: "segmented" }
  | { readonly protocol: "stream"; readonly hear: "each" | "waiting" };

/** One agent: when its steps are said, what each had heard, and what its calls took. */
export type Voice = {
  readonly steps: number;
  /** Output tokens of one of its steps. */
  readonly step: number;
  /** Steps heard of each speaker before each step, where that is not the same for all. */
  readonly heardThrough: readonly number[] | undefined;
  /** Steps heard of each speaker before all of them, where it is. */
  readonly rows: number;
  /** When each step is said; only where a listener hears it then. */
  readonly said: readonly number[] | undefined;
  readonly endMs: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
};

/** Speakers that are alike, as one. */
export type Speakers = { readonly voice: Voice; readonly times: number };

/** A step said at the moment an agent becomes free counts as waiting, as in the theory's schedules. */
const simultaneousMs = 1e-6;

const beginMs = (load: Load, input: number, cached: number): number =>
  load.firstMs + (input - cached) * load.uncachedMs + cached * load.cachedMs;

type Whole = {
  readonly startMs: number;
  readonly input: number;
  readonly steps: number;
  readonly step: number;
  readonly rows: number;
};

/** An agent that says all its steps in one call. */
function inOneCall(load: Load, { startMs, input, steps, step, rows }: Whole, said?: number[]): Voice {
  const begunMs = startMs + beginMs(load, input, 0);
  const stepMs = step * load.outputMs;
  if (said !== undefined) for (let index = 1; index <= steps; index++) said.push(begunMs + index * stepMs);
  return {
    steps,
    step,
    heardThrough: undefined,
    rows,
    said,
    endMs: begunMs + steps * stepMs,
    calls: 1,
    inputTokens: input,
    cachedTokens: 0,
    outputTokens: steps * step,
  };
}

/** An agent that hears nobody. */
export const speaker = (load: Load, steps: number): Voice =>
  inOneCall(load, { startMs: 0, input: load.prompt, steps, step: load.step, rows: 0 }, []);

/** Tokens of a row: a step of each speaker, with what surrounds it. */
function rowTokens(load: Load, speakers: readonly Speakers[]): number {
  let tokens = 0;
  for (const { voice, times } of speakers) tokens += times * (voice.step + load.heard);
  return tokens;
}

function lastEndMs(speakers: readonly Speakers[]): number {
  let last = 0;
  for (const { voice } of speakers) if (voice.endMs > last) last = voice.endMs;
  return last;
}

/** When row `row` of these speakers is complete, all of which say as many steps. */
function completeMs(speakers: readonly Speakers[], row: number): number {
  let complete = 0;
  for (const { voice } of speakers) {
    const said = voice.said![row]!;
    if (said > complete) complete = said;
  }
  return complete;
}

/** An agent that hears whole messages, of which `rows` steps are said, and answers with so many steps. */
export function listener(load: Load, speakers: readonly Speakers[], size: { rows: number; steps: number }): Voice {
  const { rows, steps } = size;
  const input = Math.max(0, load.listenerPrompt + rows * rowTokens(load, speakers));
  return inOneCall(load, { startMs: lastEndMs(speakers), input, steps, step: load.reply, rows });
}

/** How steps are heard: as they come, one or several to a call, or (`after`) one by one once all is said. */
export type Hearing = "after" | "each" | "waiting";

/** An agent that hears steps. */
export function stepListener(load: Load, speakers: readonly Speakers[], hearing: Hearing): Voice {
  const { steps } = speakers[0]!.voice;
  const row = rowTokens(load, speakers);
  const stepMs = load.reply * load.outputMs;
  const said: number[] = [];
  // One by one, all hear alike: the first to hear counts for those after it.
  const alike = hearing === "waiting" ? undefined : speakers[0]!.voice.heardThrough;
  const heardThrough: number[] = [];
  let endMs = hearing === "after" ? lastEndMs(speakers) : 0;
  let [context, cached, calls, inputTokens, cachedTokens] = [load.listenerPrompt, 0, 0, 0, 0];
  for (let from = 0; from < steps;) {
    const startMs = hearing === "after" ? endMs : Math.max(endMs, completeMs(speakers, from));
    let upTo = from + 1;
    if (hearing === "waiting") while (upTo < steps && completeMs(speakers, upTo) <= startMs + simultaneousMs) upTo++;
    const input = Math.max(0, context + (upTo - from) * row);
    const found = cached >= load.cacheMinimum ? Math.min(cached, input) : 0;
    const begunMs = startMs + beginMs(load, input, found);
    for (let step = from; step < upTo; step++) {
      said.push(begunMs + (step - from + 1) * stepMs);
      if (alike === undefined) heardThrough.push(upTo);
    }
    endMs = begunMs + (upTo - from) * stepMs;
    context = input + (upTo - from) * load.reply;
    cached = load.cache === "off" ? 0 : load.cache === "request" ? input : context;
    calls++;
    inputTokens += input;
    cachedTokens += found;
    from = upTo;
  }
  const outputTokens = steps * load.reply;
  return {
    steps,
    step: load.reply,
    heardThrough: alike ?? heardThrough,
    rows: 0,
    said,
    endMs,
    calls,
    inputTokens,
    cachedTokens,
    outputTokens,
  };
}
