// A dialogue on the command line: who takes part, how long, and when it is over.

import type { Command } from "commander";
import { Option } from "commander";
import { ConfigError } from "../base/errors.ts";
import { topologyNames } from "../core/topology.ts";
import { dialogue } from "../runtime/dialogue.ts";
import type { StopRule } from "../runtime/dialogue.ts";
import { answered } from "../runtime/stop-rules.ts";
import type { Protocol } from "../runtime/stage.ts";
import { count } from "./flags.ts";
import type { TeamFlags } from "./team.ts";

export type TalkFlags = {
  readonly protocol: string;
  readonly rounds?: number;
  readonly audience?: "broadcast" | "next";
  readonly listeners?: readonly string[];
  readonly until?: string;
};

const usualRounds = 2;

const ids = (text: string): readonly string[] => text.split(",").map((id) => id.trim());

/** Adds the options of a dialogue to a command. */
export function talkOptions(command: Command): Command {
  return command
    .option("--rounds <n>", `dialogue: how often each agent speaks (default: ${usualRounds})`, count("--rounds"))
    .addOption(
      new Option("--audience <who>", "dialogue: who hears a message, all or the agent that speaks next").choices([
        "broadcast",
        "next",
      ]),
    )
    .option("--listeners <ids>", "dialogue: who may interrupt by --policy (default: everybody)", ids)
    .option("--until <words>", "dialogue: ends with a line that begins with these words; the rest is the answer");
}

const onlyTalk = ["rounds", "audience", "listeners", "until"] as const;
const onlyGraph = ["join", "hear", "cut", "splitter"] as const;

function atUntil<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError("--until", error.message.slice("marker: ".length)) : error;
  }
}

/** Ready-made agents propose and criticize in turn, and who proposes has the last word. */
const lastWord =
  (rounds: number): StopRule =>
  (said) =>
    rounds > 1 && said.length >= 2 * rounds - 1;

/**
 * The protocol that the flags name, as `run` takes it. Throws a ConfigError for options of the other kind: those of a dialogue
 * without one, those of a graph with one.
 */
export function protocolFrom(flags: TalkFlags & TeamFlags): Protocol | string {
  if (flags.protocol !== "dialogue") {
    const odd = onlyTalk.find((name) => flags[name] !== undefined);
    if (odd !== undefined) throw new ConfigError(`--${odd}`, "is for --protocol dialogue");
    return flags.protocol;
  }
  const odd = onlyGraph.find((name) => flags[name] !== undefined);
  if (odd !== undefined)
    throw new ConfigError(`--${odd}`, "is for the other protocols; in a dialogue agents speak in turn");
  if (flags.steps !== "auto")
    throw new ConfigError("--steps", "is for the other protocols; in a dialogue nobody is asked for steps");
  const { rounds = usualRounds, audience, listeners } = flags;
  const readyMade = topologyNames.some((name) => name === flags.topology);
  const rules = [
    ...(flags.until === undefined ? [] : [atUntil(() => answered({ marker: flags.until ?? "" }))]),
    ...(readyMade ? [lastWord(rounds)] : []),
  ];
  const stop: StopRule = (said) => {
    for (const rule of rules) {
      const verdict = rule(said);
      if (verdict !== false) return verdict;
    }
    return false;
  };
  return dialogue({
    rounds,
    stop,
    ...(audience === undefined ? {} : { audience }),
    ...(listeners === undefined ? {} : { listeners }),
  });
}
