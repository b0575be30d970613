// What snippets may take for granted: `<!-- with: NAME -->`. Copied beside them, and compiled with them.
import { run, teamOf } from "duplex-ai";
import { simulated } from "duplex-ai/models";
import { asLanguageModel } from "duplex-ai/server";

/** So fast that nothing has to be waited for. */
export const model = simulated({ ttft: 1, decode: 100_000 });
export const topology = teamOf({ topology: "chain", agents: 2, steps: 2, model });
/** A model of the AI SDK. */
export const languageModel = asLanguageModel({ topology });

/** @type {import("duplex-ai").RunEvent[]} */
export const events = [];
for await (const event of run(topology, "What is 2 + 2?")) events.push(event);
