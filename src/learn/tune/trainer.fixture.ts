// Stands in for Python and its trainer: speaks the protocol, keeps checkpoints, and makes an adapter of random numbers whose
// probabilities it computes by plain arithmetic. TRAINER says what goes wrong.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nextOf, plainOf } from "./forward.fixture.ts";
import { writePeft } from "./peft.fixture.ts";
import type { TrainerEvent, TrainerSpec } from "./trainer.ts";

const how = process.env["TRAINER"] ?? "";
const say = (event: TrainerEvent) => process.stdout.write(`${JSON.stringify(event)}\n`);
const leave = (code = 0) => process.stdout.write("", () => process.exit(code));

/** Nobody is left who would read. */
const callerGone = new Promise<void>((resolve) => process.stdin.on("end", resolve).resume());
const asked = new Promise<void>((resolve) => process.on("SIGTERM", () => resolve()));

type Row = { readonly tokens: readonly number[]; readonly label: number };

const rowsIn = (path: string): Row[] =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

async function steps(spec: TrainerSpec): Promise<void> {
  const state = join(spec.checkpoints, "state.json");
  const since = existsSync(state) ? Number(readFileSync(state, "utf8")) : 0;
  mkdirSync(spec.checkpoints, { recursive: true });
  for (let step = since + 1; step <= spec.steps; step++) {
    writeFileSync(state, String(step));
    say({ event: "step", step, steps: spec.steps, loss: 1 / step, seconds: step - since, sinceStep: since });
    if (how !== "pause" || step !== 3) continue;
    await Promise.race([callerGone, asked]);
    say({ event: "stopped", step });
    leave();
    return new Promise(() => {});
  }
}

const failures: Readonly<Record<string, () => void>> = {
  diverge: () => say({ event: "diverged", step: 3, loss: null }),
  full: () => say({ event: "failed", message: "OSError: [Errno 28] No space left on device" }),
  memory: () => say({ event: "failed", message: "RuntimeError: out of memory" }),
  noise: () => process.stdout.write("Downloading…\n"),
  strange: () => process.stdout.write('{"event":"step","step":"one"}\n'),
  silent: () => process.stderr.write("Traceback\nImportError: no libgomp\n"),
};

async function main(): Promise<void> {
  const failure = failures[how];
  if (failure !== undefined) {
    failure();
    return void leave(1);
  }
  const spec = JSON.parse(readFileSync(process.argv[3] ?? "", "utf8")) as TrainerSpec;
  const [train, held] = [rowsIn(spec.train), rowsIn(spec.held)];
  say({ event: "ready", versions: { torch: "0" }, device: "cpu" });
  say({ event: "loaded", parameters: 1, rows: train.length, messages: 1 });
  await steps(spec);
  const factors = await writePeft(spec.adapter, { size: 0.2 });
  const plain = await plainOf(spec.base);
  const off = how === "wrong" ? 0.5 : 0;
  const probabilities = held.map(({ tokens }): [number, number] => {
    const shares = nextOf(plain, tokens, factors);
    const of = (words: readonly number[]) => words.reduce((sum, word) => sum + shares[word]!, 0);
    return [of(spec.yes) + off, of(spec.no)];
  });
  say({ event: "done", step: spec.steps, auc: 0.5, loss: 0.7, mass: 0.1, rows: held.length, probabilities });
  leave();
}

await main();
