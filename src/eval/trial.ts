// One result: a conversation under an arm, judged and accounted for.

import { ConfigError, explain } from "../base/errors.ts";
import { subseed } from "../base/random.ts";
import type { Price } from "../core/usage.ts";
import type { RunEvent } from "../core/types.ts";
import { accountOf, allUsage, moneyOf } from "./account.ts";
import type { Arm } from "./cast.ts";
import { converse } from "./conversation.ts";
import type { Held, Hindsight, Plan, Setting } from "./conversation.ts";
import { transcriptOf } from "./floor.ts";
import { contentOf } from "./result.ts";
import type { Result } from "./result.ts";
import { heardEnough } from "./tasks/enough.ts";
import type { Sample } from "./task.ts";

/** One cell of an evaluation. */
export type Cell = { readonly sample: Sample; readonly repeat: number; readonly arm: Arm };

export type TrialOptions = {
  readonly setting: Setting;
  readonly seed: number;
  /** The price of the model with this id. */
  readonly priceOf?: ((model: string) => Price | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** A conversation is seeded by its sample and repeat alone, so that all arms meet the same. */
const seedOf = (seed: number, { sample, repeat }: Pick<Cell, "sample" | "repeat">): number =>
  subseed(seed, `${sample.id} ${repeat}`);

/** Plays one cell. Rejects when the signal fires and for a `ConfigError`; other failures are results. */
export async function trial(options: TrialOptions, cell: Cell): Promise<Result> {
  const { arm, sample } = cell;
  const seed = seedOf(options.seed, cell);
  const hold = async (policy: Plan["policy"]) =>
    resultOf(await converse(options.setting, { sample, seed, policy, signal: options.signal }), { options, cell });
  if (arm.policy !== "oracle")
    return hold(typeof arm.policy === "function" ? arm.policy({ sample, seed }) : arm.policy);
  if (sample.enough !== undefined) return hold(({ transcript }) => heardEnough(transcript, sample) === true);
  return bestCut(hold, options.setting.chunk);
}

/** Cuts at the first chunk, at the second, and so on, and takes the cheapest that succeeds; hearing all where none does. */
async function bestCut(hold: (policy: Hindsight) => Promise<Result>, chunk: number): Promise<Result> {
  const tried = [await hold(() => false)];
  const [full] = tried as [Result];
  const chunks = Math.floor(full.cost.spoken / Math.max(1, full.rounds) / chunk);
  for (let at = 1; at <= chunks; at++) tried.push(await hold((heard) => heard.chunks >= at));
  const right = tried.filter(({ success }) => success === 1);
  const best = right.toSorted((one, other) => one.cost.total - other.cost.total)[0] ?? full;
  return { ...best, spent: allUsage(tried.map(({ spent }) => spent)) };
}

type Context = { readonly options: TrialOptions; readonly cell: Cell };

function resultOf(held: Held, { options, cell }: Context): Result {
  const { sample, repeat, arm } = cell;
  const { events, said, failure } = held;
  if (failure?.error instanceof ConfigError) throw failure.error;
  const verdict = options.setting.task.judge(transcriptOf(said, sample), sample);
  const account = accountOf(events, { sample, said, verdict });
  const start = events.find((event) => event.type === "run-start");
  const common = {
    sample: sample.id,
    of: contentOf(sample),
    repeat,
    policy: arm.name,
    ...account,
    reply: said.findLast(({ agent }) => agent === sample.answer.by)?.text.slice(0, 300),
    money: money(events, options),
    spent: account.usage,
    ...(start?.simulated === true ? { simulated: true as const } : {}),
  };
  if (failure === undefined)
    return { ...common, success: verdict.success, answer: verdict.answer, detail: verdict.detail };
  const { error } = failure;
  const message = explain(error);
  return { ...common, detail: message, failure: { name: error instanceof Error ? error.name : "Error", message } };
}

function money(events: readonly RunEvent[], { priceOf }: TrialOptions): Result["money"] {
  if (priceOf === undefined) return undefined;
  const start = events.find((event) => event.type === "run-start");
  const models = new Map(start?.agents.map(({ id, model }) => [id, model]));
  const cost = moneyOf(events, (agent) => priceOf(models.get(agent) ?? ""));
  return cost === undefined ? undefined : { currency: cost.currency, amount: cost.amount };
}
