// The training in Python: what it is told, and what it says while it works.

import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ConfigError, explain, ModelError } from "../../base/errors.ts";
import { lastLine, run } from "./process.ts";
import type { RunOptions } from "./process.ts";

/** What the trainer is told, as a JSON file; all paths absolute. */
export type TrainerSpec = {
  readonly base: string;
  /** A folder or a hub's name with the base's weights, in place of the GGUF file's. */
  readonly weights: string | null;
  readonly train: string;
  readonly held: string;
  readonly checkpoints: string;
  readonly adapter: string;
  readonly yes: readonly number[];
  readonly no: readonly number[];
  readonly rank: number;
  readonly alpha: number;
  readonly rate: number;
  readonly steps: number;
  /** Messages a step; all hearings of a message are read together. */
  readonly batch: number;
  readonly rowsPerMessage: number;
  /** Layers that are adapted: from this one (counted from 0), up to but without that one. */
  readonly from: number;
  readonly to: number;
  readonly targets: readonly string[];
  /** Weight of saying one of the words at all, beside telling them apart. */
  readonly mass: number;
  /** Messages that show where in the states the labels are, before training; 0: random beginnings. */
  readonly aimMessages: number;
  readonly seed: number;
  readonly threads: number;
  readonly device: "auto" | "cpu" | "cuda";
  /** Steps between two looks at held-out messages, and how many of them. */
  readonly every: number;
  readonly heldMessages: number;
  readonly saveSeconds: number;
  /** Training ends after so long; null: after its steps. */
  readonly seconds: number | null;
  /** Room for states of frozen layers. */
  readonly keepBytes: number;
};

const held = z.object({
  event: z.literal("held"),
  step: z.number(),
  auc: z.number().nullable(),
  loss: z.number(),
  mass: z.number(),
  rows: z.number(),
});

const pair = z.tuple([z.number(), z.number()]);

const schema = z.discriminatedUnion("event", [
  z.object({ event: z.literal("ready"), versions: z.record(z.string(), z.string()), device: z.string() }),
  z.object({ event: z.literal("loaded"), parameters: z.number(), rows: z.number(), messages: z.number() }),
  z.object({
    event: z.literal("step"),
    step: z.number(),
    steps: z.number(),
    loss: z.number().nullable(),
    seconds: z.number(),
    /** Where this training began: after what was done before. */
    sinceStep: z.number(),
  }),
  held,
  z.object({ event: z.literal("saved"), step: z.number() }),
  z.object({ event: z.literal("stopped"), step: z.number() }),
  z.object({ event: z.literal("diverged"), step: z.number(), loss: z.number().nullable() }),
  z.object({ event: z.literal("failed"), message: z.string() }),
  held.extend({ event: z.literal("done"), probabilities: z.array(pair) }),
]);

/** What the trainer says. */
export type TrainerEvent = z.infer<typeof schema>;

/** What came of a training: probabilities of both words for each held-out hearing, in the file's order. */
export type Trained = Extract<TrainerEvent, { readonly event: "done" }>;

/** Where the trainer's program lies: beside this module when built, in the sources otherwise. */
export async function trainerScript(from = dirname(fileURLToPath(import.meta.url))): Promise<string> {
  for (let folder = from; ; folder = dirname(folder)) {
    for (const place of [join("python", "tune.py"), join("src", "learn", "python", "tune.py")]) {
      const path = join(folder, place);
      if (
        await access(path).then(
          () => true,
          () => false,
        )
      )
        return path;
    }
    if (dirname(folder) === folder)
      throw new ConfigError("tune", "the trainer's program tune.py is not in the package; install it anew");
  }
}

/** How the trainer is started: a Python, its program, and what that reads. */
export type TrainOptions = Pick<RunOptions, "signal" | "graceMs" | "clock"> & {
  readonly python: string;
  readonly script: string;
  /** The file that holds a `TrainerSpec`. */
  readonly spec: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Weights come from a hub. */
  readonly online: boolean;
  readonly threads: number;
  readonly onEvent: (event: TrainerEvent) => void;
};

function eventOf(line: string): TrainerEvent {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new ModelError(`the trainer said something else than JSON: ${line.slice(0, 200)}`, {
      model: "trainer",
      cause,
    });
  }
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw new ModelError(`the trainer said what is not understood: ${issue?.path.join(".")}: ${issue?.message}`, {
    model: "trainer",
  });
}

function failure(message: string): Error {
  if (/No space left|Errno 28/u.test(message))
    return new ConfigError("--out", "there is no space left on the disk; make room and give the same command again");
  if (/MemoryError|out of memory|Cannot allocate/iu.test(message))
    return new ModelError(`the training ran out of memory (${message}); take a smaller --base or --batch`, {
      model: "trainer",
    });
  return new ModelError(`the training failed: ${message}`, { model: "trainer" });
}

/**
 * Trains to the end, or goes on from the last checkpoint. Rejects with the signal's reason when stopped, a ConfigError when the
 * training diverges, a ModelError when it fails.
 */
export async function train(options: TrainOptions): Promise<Trained> {
  const { python, script, spec, online, threads, onEvent, signal } = options;
  const own = new AbortController();
  let last: TrainerEvent | undefined;
  let wrong: unknown;
  const onLine = (line: string) => {
    try {
      last = eventOf(line);
      onEvent(last);
    } catch (error) {
      wrong ??= error;
      own.abort(error);
    }
  };
  const offline = online ? {} : { HF_HUB_OFFLINE: "1", HF_DATASETS_OFFLINE: "1" };
  const quiet = {
    TOKENIZERS_PARALLELISM: "false",
    PYTHONUNBUFFERED: "1",
    PYTHONWARNINGS: "ignore",
    HF_HUB_DISABLE_TELEMETRY: "1",
  };
  const env = { ...options.env, ...offline, ...quiet, OMP_NUM_THREADS: String(threads) };
  const both = signal === undefined ? own.signal : AbortSignal.any([signal, own.signal]);
  const { graceMs, clock } = options;
  let ended: Awaited<ReturnType<typeof run>>;
  try {
    ended = await run(python, [script, spec], { env, signal: both, onLine, graceMs, clock });
  } catch (cause) {
    throw new ConfigError("--python", `${python} cannot be started: ${explain(cause)}`, { cause });
  }
  if (wrong !== undefined) throw wrong;
  if (last?.event === "done" && ended.code === 0) return last;
  if (last?.event === "diverged") throw diverged(last);
  signal?.throwIfAborted();
  if (last?.event === "failed") throw failure(last.message);
  const by = ended.code === null ? "it was killed" : `it ended with code ${ended.code}`;
  throw failure(lastLine(ended.errors) || by);
}

const diverged = ({ step, loss }: Extract<TrainerEvent, { readonly event: "diverged" }>): ConfigError =>
  new ConfigError(
    "--rate",
    `the training diverged at step ${step} (loss ${loss ?? "is not a number"}) and was stopped; take a lower rate, and another --out`,
  );
