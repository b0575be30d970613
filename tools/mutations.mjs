// `node tools/mutations.mjs`: breaks the compiled runtime in one place at a time, in a scratch copy, and shows that the random
// simulation notices. Exits with 1 when a mutant survives or a mutation fits the code no longer. CASES sets the worlds (2000).
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const copy = join(root, ".build", "mutations");
const cases = process.env.CASES ?? "2000";
const firstSeed = process.env.SEED ?? "1";

/** What is broken, in which file, and the text that is replaced (it must occur exactly once). */
const mutations = [
  {
    name: "a turn's terminal event is dropped when the turn is cut",
    file: "turn.js",
    from: `this.#stage.emit({
            type: "turn-end",`,
    to: `if (ended !== "interrupted") this.#stage.emit({
            type: "turn-end",`,
  },
  {
    name: "an agent's terminal event is dropped when it failed",
    file: "agent.js",
    from: `this.#stage.emit({ type: "agent-end",`,
    to: `if (reason !== "failed") this.#stage.emit({ type: "agent-end",`,
  },
  {
    name: "the run's terminal event is dropped when it was cancelled",
    file: "run.js",
    from: `state.events.append({ type: "run-end",`,
    to: `if (end.reason !== "cancelled") state.events.append({ type: "run-end",`,
  },
  {
    // Looked at twice: when a text comes, and for each of its pieces.
    name: "a chunk is delivered after the cut",
    file: "turn.js",
    from: `if (this.#state !== "speaking") {`,
    to: `if (this.#state === "cancelled") {`,
    also: [
      `if (this.#state !== "speaking")
                return;
            if (piece.type`,
      `if (piece.type`,
    ],
  },
  {
    name: "an agent is cut twice",
    file: "agent.js",
    from: `this.#ended || this.#cut ||`,
    to: `this.#ended ||`,
  },
  {
    name: "an agent that was cut between turns goes on",
    file: "agent.js",
    from: `return this.#stage.stopped() || this.#cut;`,
    to: `return this.#stage.stopped();`,
  },
  {
    name: "usage of a turn is lost: its input tokens",
    file: "turn.js",
    from: `return { usage, waitedMs, overrunTokens };`,
    to: `return { usage: { ...usage, inputTokens: 0 }, waitedMs, overrunTokens };`,
  },
  {
    name: "usage of a turn is lost: tokens made past the cut",
    file: "turn.js",
    from: `const { usage } = this.#end;`,
    to: `const usage = { ...this.#end.usage, outputTokens: this.#spokenTokens };`,
  },
  {
    name: "a listener hears a step twice",
    file: "protocols.js",
    from: `this.#actors.get(id)?.hear(step);`,
    to: `for (let i = 0; i < (step.index === 2 ? 2 : 1); i++) this.#actors.get(id)?.hear(step);`,
  },
  {
    name: "a listener misses a step",
    file: "protocols.js",
    from: `this.#actors.get(id)?.hear(step);`,
    to: `if (step.index !== 2) this.#actors.get(id)?.hear(step);`,
  },
  {
    name: "arrivals that wait are answered in the wrong order",
    file: "gather.js",
    from: `waiting.splice(0, hear === "each" ? 1 : waiting.length)`,
    to: `waiting.splice(0, hear === "each" ? 1 : waiting.length).toReversed()`,
  },
  {
    name: "a join does not wait for a parent that is behind",
    file: "gather.js",
    from: `if (queues.some(({ steps, open }) => open && steps.length === 0))`,
    to: `if (false)`,
  },
  {
    name: "a skipped edge is not closed",
    file: "protocols.js",
    from: `this.#actors.get(listener)?.close(id, "skipped");`,
    to: `{ }`,
  },
  {
    name: "a failed agent does not close its edges",
    file: "protocols.js",
    from: `for (const listener of this.#listeners.get(id) ?? [])
            this.#actors.get(listener)?.close(id, reason);`,
    to: `for (const listener of this.#listeners.get(id) ?? [])
            if (reason !== "failed") this.#actors.get(listener)?.close(id, reason);`,
  },
  {
    name: "a context does not grow: the assistant's own words are forgotten",
    file: "agent.js",
    from: `messages: [...this.#messages]`,
    to: `messages: this.#messages.slice(0, 1).concat(this.#messages.slice(-1))`,
  },
  {
    name: "segmented does not wait for its speakers to end",
    file: "gather.js",
    from: `next: () => (open.size > 0 ? undefined : inner.next())`,
    to: `next: () => inner.next()`,
  },
  {
    name: "a model that ignores its signal is not left after the grace",
    file: "turn.js",
    from: `this.#grace = after(clock, graceMs, () => this.#reading.leave());`,
    to: `this.#grace = after(clock, graceMs, () => {});`,
  },
  {
    name: "a stalled model is never noticed",
    file: "turn.js",
    from: `this.#stage.settings.clock.now() : this.#sign;`,
    to: `this.#stage.settings.clock.now() : this.#stage.settings.clock.now();`,
  },
  {
    name: "a stream that closes without its end passes for a whole message",
    file: "turn.js",
    from: `return { reason: "truncated", failure: closedEarly(agent) };`,
    to: `return { reason: "stop" };`,
  },
  {
    name: "a late reader misses the first event",
    file: "run.js",
    from: `read: () => state.events,`,
    to: `read: () => ({ async *[Symbol.asyncIterator]() { let n = 0; for await (const e of state.events) if (n++ > 0) yield e; } }),`,
  },
  {
    name: "a listener of ours stays on the caller's signal",
    file: "run.js",
    from: `work = perform(show).finally(() => {
            release();`,
    to: `work = perform(show).finally(() => {`,
  },
];

function build() {
  rmSync(copy, { recursive: true, force: true });
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const { stdout } = spawnSync(tsc, ["-p", join(root, "tsconfig.json"), "--outDir", copy], { encoding: "utf8" });
  if (existsSync(join(copy, "runtime", "simulation.test.js"))) return;
  console.error(`the runtime does not compile\n${stdout}`);
  process.exit(1);
}

/** Plays the worlds; the first that breaks an invariant, or undefined where all hold. */
function simulate() {
  const test = join(copy, "runtime", "simulation.test.js");
  const flags = ["--test", "--test-reporter=tap", "--test-name-pattern=random worlds", test];
  const { status, signal, stdout } = spawnSync(process.execPath, flags, {
    encoding: "utf8",
    timeout: limitMs,
    // Node's test runner thinks it runs inside a test otherwise.
    env: { ...process.env, CASES: cases, SEED: firstSeed, NODE_TEST_CONTEXT: undefined },
  });
  if (status === 0) return undefined;
  const found = /seed \d+: [^\n'"]*/.exec(stdout) ?? /error: ['"]?([^\n]*)/.exec(stdout);
  return (
    found?.[0].slice(0, 150) ??
    (signal === null ? "the test failed" : `it hangs: the worlds did not end within ${Math.round(limitMs / 1000)} s`)
  );
}

function replaceOnce(source, from, to) {
  const parts = source.split(from);
  return parts.length === 2 ? parts.join(to) : undefined;
}

function mutate({ file, from, to, also }) {
  const path = join(copy, "runtime", file);
  const source = readFileSync(path, "utf8");
  let mutant = replaceOnce(source, from, to);
  if (also !== undefined && mutant !== undefined) mutant = replaceOnce(mutant, ...also);
  if (mutant === undefined) return "does not fit the code any more; change it";
  writeFileSync(path, mutant);
  try {
    return simulate();
  } finally {
    writeFileSync(path, source);
  }
}

/** A mutant that takes much longer than the runtime as it is hangs. */
let limitMs = 600_000;

build();
const began = performance.now();
const broken = simulate();
limitMs = Math.ceil(Math.max(30_000, 3 * (performance.now() - began)));
if (broken !== undefined) {
  console.error(`the runtime as it is fails already: ${broken}`);
  process.exit(1);
}
console.log(`${cases} worlds from seed ${firstSeed} hold for the runtime as it is`);
let bad = 0;
for (const mutation of mutations) {
  const caught = mutate(mutation);
  const unfit = caught?.startsWith("does not fit") === true;
  if (caught === undefined || unfit) bad++;
  console.log(
    `${caught === undefined ? "SURVIVED" : unfit ? "UNFIT   " : "caught  "} ${mutation.name}${caught === undefined ? "" : `\n           ${caught}`}`,
  );
}
console.log(`${mutations.length - bad} of ${mutations.length} mutations were caught`);
process.exit(bad === 0 ? 0 : 1);
