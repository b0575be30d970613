import assert from "node:assert/strict";
import { test } from "node:test";
import type { Random } from "../../base/random.ts";
import { integer, pick, random } from "../../base/random.ts";
import { edgesOf } from "../../core/topology.ts";
import type { RunEvent } from "../../core/types.ts";
import { chain, contextRatios, totals } from "../../theory/index.ts";
import type { Plan } from "../../theory/index.ts";
import { Coverage } from "./coverage.fixture.ts";
import { profileOf } from "./profile-of.ts";
import { traceOf } from "./traces.fixture.ts";

type Setting = {
  readonly plan: Omit<Plan, "protocol" | "tokens">;
  readonly prompt: number;
  readonly step: number;
  readonly reply: number;
};

function settingOf(next: Random): Setting {
  const { agents } = chain(integer(next, 2, 4));
  const ids = agents.map(({ id }) => id);
  const step = integer(next, 20, 80);
  const speeds = {
    timeToFirstTokenMs: 20 + 500 * next(),
    prefill: 500 + 5000 * next(),
    cacheRead: 9000 + 50_000 * next(),
    decode: 20 + 80 * next(),
  };
  const edges = edgesOf(pick(next, ["chain", "tree"] as const), ids);
  const plan = { agents, edges, steps: integer(next, 2, 6), speeds, cache: pick(next, ["off", "request"] as const) };
  return { plan, prompt: integer(next, 50, 500), step, reply: step * (0.7 + 0.6 * next()) };
}

/** A run whose prompt and steps have lengths of their own, spread about those of the setting. */
function planned({ plan, prompt, step, reply }: Setting, protocol: "serial" | "stream", next: Random): Plan {
  const about = (value: number) => value * (0.6 + 0.8 * next());
  const lengths = (value: number) => Array.from({ length: plan.steps }, () => about(value));
  const [first, ...rest] = plan.agents.map(({ id }) => id);
  const own = protocol === "stream" ? reply : step;
  const length = about(prompt);
  const agents = [
    { id: first!, promptTokens: length, stepTokens: lengths(step) },
    ...rest.map((id) => ({ id, promptTokens: length, stepTokens: lengths(own) })),
  ];
  return { ...plan, agents, protocol, tokens: { prompt, step, heard: 3 } };
}

/** The same run with every length at its mean. */
function typical({ plan, prompt, step, reply }: Setting, protocol: "serial" | "stream"): Plan {
  const agents = plan.agents.map(({ id }, index) => {
    return {
      id,
      stepTokens: Array.from({ length: plan.steps }, () => (index > 0 && protocol === "stream" ? reply : step)),
    };
  });
  return { ...plan, agents, protocol, tokens: { prompt, step, heard: 3 } };
}

test("alpha, beta, r_po, rho, prompts and steps are recovered within the stated intervals in at least 93 % of settings", () => {
  const coverage = new Coverage();
  for (let seed = 0; seed < 200; seed++) {
    const next = random(seed);
    const setting = settingOf(next);
    const traces = Array.from({ length: 6 }, (_, pair) =>
      (["serial", "stream"] as const).map((protocol) => traceOf(planned(setting, protocol, next), `task ${pair}`)),
    ).flat();
    const { ratios, rho, tokens, speeds, cache } = profileOf(traces);
    assert.equal(cache, setting.plan.cache);
    const [serial, stream] = [totals(typical(setting, "serial")), totals(typical(setting, "stream"))];
    for (const [protocol, taken] of [
      ["serial", serial],
      ["stream", stream],
    ] as const) {
      const { alpha, beta } = contextRatios(taken, typical(setting, protocol));
      coverage.add("alpha", ratios[protocol]?.alpha, alpha);
      coverage.add("beta", ratios[protocol]?.beta, beta);
      const said = setting.plan.steps * setting.plan.agents.length;
      coverage.add("r_po", ratios[protocol]?.rPo, (setting.prompt * said) / taken.usage.outputTokens);
    }
    coverage.add("rho", rho, stream.usage.outputTokens / serial.usage.outputTokens);
    coverage.add("prompt", tokens?.prompt, setting.prompt);
    coverage.add("step", tokens?.step, setting.step);
    coverage.add("reply under serial", tokens?.reply.serial, setting.step);
    coverage.add("reply under stream", tokens?.reply.stream, setting.reply);
    coverage.add("time to first token", speeds.timeToFirstTokenMs, setting.plan.speeds.timeToFirstTokenMs);
    coverage.add("prefill", speeds.prefill, setting.plan.speeds.prefill);
    coverage.add("decode", speeds.decode, setting.plan.speeds.decode);
  }

  coverage.check({ share: 0.93, seen: 200 });
});

const small = (): RunEvent[] => {
  const next = random(1);
  return traceOf(planned(settingOf(next), "stream", next), "task");
};

test("what cannot be measured is refused, or said in a line", () => {
  assert.throws(() => profileOf([]), /^ConfigError: traces: there is no run to measure/);
  assert.throws(() => profileOf([[]]), /^ConfigError: traces: no run has agents/);
  const started = small().slice(0, 2);
  assert.throws(() => profileOf([started]), /^ConfigError: traces: nothing was said in these runs/);
  const [start, ...rest] = small();
  const other = { ...start, agents: [{ id: "1", model: "another" }] } as RunEvent;
  assert.throws(
    () => profileOf([small(), [other, ...rest]]),
    /^ConfigError: traces: a profile is of one model.*another/,
  );
  const { notes, rho, quality } = profileOf([small()]);
  assert.equal(rho, null);
  assert.equal(quality, null);
  assert.match(notes.join(" "), /One run/);
});

test("calls that thought first, were cut or failed do not count for speeds", () => {
  const events = small();
  const speeds = (some: readonly RunEvent[]) => JSON.stringify(profileOf([some]).speeds);
  const spoilt = { calls: 1, inputTokens: 9e6, cachedTokens: 0, outputTokens: 3 };
  const turn = { agent: "1", seq: 0, turn: 77 };
  const begun = { ...turn, type: "turn-start", at: 1, heard: [] } as const;
  const word = { ...turn, type: "chunk", at: 2, text: "x", tokens: 1 } as const;
  const thought = { ...turn, type: "reasoning", at: 1.5, text: "hm" } as const;
  const end = (reason: "stop" | "interrupted" | "truncated") =>
    ({ ...turn, type: "turn-end", at: 9e6, reason, usage: spoilt }) as const;
  for (const more of [
    [begun, word, end("interrupted")],
    [begun, word, end("truncated")],
    [begun, thought, word, end("stop")],
    [begun, end("stop")],
    [begun, word],
  ])
    assert.equal(speeds([...events, ...more]), speeds(events));
});
