// Part 2: the timing of models behind an API, over a real network path to a simulated server.

import { teamOf } from "../../core/prompts.ts";
import type { Model } from "../../core/types.ts";
import { openai } from "../../models/openai.ts";
import { simulateServer } from "../../server/simulate.ts";
import { renderArms, renderBeside, verdict } from "../beside.ts";
import { lookOf } from "../look.ts";
import { compareAll, print, say } from "./part.ts";
import type { Demo, Part, Setup } from "./part.ts";

/** What a fast API does: milliseconds to the first token, tokens a second, tokens of a step. */
const usual = { id: "simulated-api", ttft: 200, decode: 100, stepTokens: 24 } as const;
const hurried = { ...usual, ttft: 100, decode: 200 } as const;
const agents = 4;

async function show(demo: Demo): Promise<void> {
  const steps = demo.quick ? 4 : 8;
  const api = demo.quick ? hurried : usual;
  say(
    demo,
    "Nothing below was said by a real model. A server on this machine speaks the protocol of OpenAI's API at the pace of " +
      `one: ${api.ttft} ms to the first token, then ${api.decode} tokens a second. Client, HTTP and runtime are the real ones. ` +
      `${agents} agents in a chain, ${steps} steps each, one run after the other.`,
  );
  const server = (label: string, options: Setup["options"]): Setup => ({
    label,
    task: "Work out the sums.",
    options: { ...options, seed: 1 },
    // A server of its own for each, so that no run reads from the cache that another has filled.
    open: async () => {
      const running = await simulateServer({ ...api, seed: 1 });
      const model: Model = { ...openai({ baseURL: running.url, model: api.id }), simulated: true };
      return { topology: teamOf({ topology: "chain", agents, steps, model }), close: () => running.close() };
    },
  });
  const told = await compareAll(demo, [
    server("serial", { protocol: "serial" }),
    ...(demo.quick ? [] : [server("segmented", { protocol: "segmented" })]),
    server("stream", { protocol: "stream" }),
  ]);
  const look = lookOf(demo.io);
  print(demo, renderArms(told, look));
  print(
    demo,
    renderBeside(
      told.filter(({ line }) => line.protocol === "serial" || line.protocol === "stream"),
      look,
    ),
  );
  print(demo, verdict(told, look));
}

/** Four agents on a simulated server, serial and streamed. */
export const timing: Part = { title: "The timing of models behind an API, simulated", play: show };
