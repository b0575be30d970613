import { Command } from "commander";
import { hand } from "../demo/hand.ts";
import { head, say } from "../demo/part.ts";
import type { Demo, Part } from "../demo/part.ts";
import { timing } from "../demo/timing.ts";
import { words } from "../demo/words.ts";
import type { Io } from "../io.ts";
import { defaultModel } from "../team.ts";

type Flags = { readonly model?: string; readonly fetch: boolean; readonly quick?: boolean };

const parts: readonly Part[] = [words, timing, hand];

/** `duplex demo`: agents that hear each other while they speak, on a real model and at the pace of an API. */
export function demoCommand(io: Io): Command {
  return new Command("demo")
    .description("see agents hear each other while they speak: on a real model, then at the pace of an API")
    .option("--model <spec>", `the model of the part with real words (default: ${defaultModel}, fetched once)`)
    .option("--no-fetch", "fetch nothing: without the model that part is simulated")
    .option("--quick", "leave out what takes longest")
    .addHelpText(
      "after",
      `
Examples:
  duplex demo                               about a minute; the model is fetched on first use
  duplex demo --no-fetch --quick            at once, whatever is here
  duplex demo --model openai:gpt-4.1-mini   the words of another model`,
    )
    .action(async ({ model, fetch, quick = false }: Flags) => play({ io, model, fetch, quick }));
}

async function play(demo: Demo): Promise<void> {
  for (const [index, { title, play: show }] of parts.entries()) {
    head(demo, `Part ${index + 1} of ${parts.length}. ${title}`);
    await show(demo);
  }
  say(demo, "", 'Now with a task of your own: duplex run "TASK", and duplex compare "TASK" for the measurements.');
}
