// One process with a Python interpreter in it: started without rights, and ended from outside when it does not answer.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { after } from "../../../base/clock.ts";
import type { Clock } from "../../../base/clock.ts";
import { onAbort } from "../../../base/signal.ts";
import { preparation } from "./python.ts";

/** What came of a run. `failed`: the sandbox itself did not work, and nothing is known of the code. */
export type Ran = {
  readonly outcome: "ok" | "error" | "late" | "memory" | "output" | "failed";
  /** What was written or returned, or what went wrong in one line. */
  readonly text: string;
};

/** Code to run: as a program that reads `input`, or a function called with the lines of `input`, each of them JSON. */
export type Job = {
  readonly code: string;
  readonly function?: string | undefined;
  readonly input: string;
};

export type ProcessOptions = {
  readonly memoryBytes: number;
  readonly outputBytes: number;
  readonly clock: Clock;
};

type Reply = Ran & { readonly id: number; readonly cpuMs?: number };

const childPath = fileURLToPath(new URL(`./child${extname(import.meta.url)}`, import.meta.url));

/** Starting reads 14 megabytes; on a busy machine that takes a while. */
const startMs = 120_000;

/** How much longer than its limit of computing a run may take on a busy machine, before the process is ended. */
const patience = 8;
const graceMs = 20_000;

/** A process does not live longer than this many seconds of computing, even if nobody is left to end it. */
const mostSeconds = 900;

/** After so much computing a process is replaced, long before it is ended for it. */
const oldMs = 300_000;

function pyodideUrl(): string | undefined {
  try {
    return import.meta.resolve("pyodide");
  } catch {
    return undefined;
  }
}

function argumentsFor(url: string, { memoryBytes, outputBytes }: ProcessOptions): string[] {
  const folder = dirname(fileURLToPath(url));
  const flag = process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission";
  const rights = [flag, `--allow-fs-read=${childPath}`, `--allow-fs-read=${folder}/`];
  // What has no rights may not make code out of text either: Python's way to JavaScript's eval is closed.
  const options = ["--disallow-code-generation-from-strings", "--max-old-space-size=512", "--no-warnings"];
  return [...rights, ...options, childPath, url, String(memoryBytes), String(outputBytes), preparation];
}

const shell = [
  `ulimit -c 0; ulimit -t ${mostSeconds};`,
  // Deep recursion needs a deep stack, where the system gives one.
  'if ulimit -s 65536 2>/dev/null; then exec "$0" --stack-size=60000 "$@"; else exec "$0" "$@"; fi',
].join(" ");

function launch(url: string, options: ProcessOptions): ChildProcess {
  const given = argumentsFor(url, options);
  const how = {
    stdio: ["ignore", "ignore", "ignore", "ipc"] as ["ignore", "ignore", "ignore", "ipc"],
    env: {},
    cwd: "/",
  };
  if (!existsSync("/bin/sh")) {
    return spawn(process.execPath, given, { ...how, cwd: dirname(childPath), serialization: "json" });
  }
  return spawn("/bin/sh", ["-c", shell, process.execPath, ...given], { ...how, serialization: "json" });
}

const living = new Set<ChildProcess>();
let watching = false;

/** Whatever ends this program ends its sandboxes. */
function endWithUs(child: ChildProcess): void {
  living.add(child);
  child.once("exit", () => living.delete(child));
  if (watching) return;
  watching = true;
  process.once("exit", () => {
    for (const each of living) each.kill("SIGKILL");
  });
}

/** A Python interpreter in a process of its own. It answers one run after another. */
export class PythonProcess {
  readonly #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #ready: Promise<Ran> | undefined;
  #count = 0;

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  /** Runs a job for at most `ms` of computing, and not much longer than eight times that; each run begins with an interpreter in which nothing has run. Never rejects. */
  async run(job: Job, ms: number, signal?: AbortSignal): Promise<Ran> {
    const started = await this.#start();
    const child = this.#child;
    if (child === undefined || started.outcome !== "ok") return started;
    if (signal?.aborted === true) return { outcome: "failed", text: "it was called off" };
    const id = ++this.#count;
    const reply = this.#reply(child, { id, ms: ms * patience + graceMs, signal });
    child.send({ id, code: job.code, function: job.function ?? "", input: job.input, ms });
    const ran = await reply;
    if ((ran.cpuMs ?? 0) > oldMs) this.close();
    return { outcome: ran.outcome, text: ran.text };
  }

  /** Ends the process; the next run starts another. */
  close(): void {
    const child = this.#child;
    this.#child = undefined;
    this.#ready = undefined;
    child?.kill("SIGKILL");
  }

  #start(): Promise<Ran> {
    this.#ready ??= this.#launch();
    return this.#ready;
  }

  async #launch(): Promise<Ran> {
    const url = pyodideUrl();
    if (url === undefined) {
      return { outcome: "failed", text: "code is run by Pyodide, which is not installed: npm install pyodide" };
    }
    const child = launch(url, this.#options).on("error", () => {});
    endWithUs(child);
    this.#child = child;
    const { outcome, text } = await this.#reply(child, { id: 0, ms: startMs });
    if (outcome === "ok") return { outcome, text };
    this.close();
    return { outcome: "failed", text: `Python did not start (${text})` };
  }

  /** The reply with this id, or why there is none; a process that owes one is ended. */
  #reply(
    child: ChildProcess,
    { id, ms, signal }: { readonly id: number; readonly ms: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Reply> {
    return new Promise((resolve) => {
      let aborted = () => {};
      const settle = (reply: Reply) => {
        late();
        aborted();
        child.off("message", heard).off("error", broken).off("exit", gone);
        unhold(child);
        resolve(reply);
      };
      const give = (outcome: Ran["outcome"], text: string) => {
        settle({ id, outcome, text });
        if (this.#child === child) this.close();
      };
      const heard = (message: unknown) => {
        if ((message as Reply).id === id) settle(message as Reply);
      };
      const broken = (error: Error) => give("failed", error.message);
      const gone = (_code: number | null, cause: NodeJS.Signals | null) => {
        if (id === 0) give("failed", "it ended");
        // Its own watch ends it so.
        else if (cause === "SIGKILL" || cause === "SIGXCPU") give("late", "it took too long");
        else give("error", "it ended its process");
      };
      child.on("message", heard).on("error", broken).on("exit", gone);
      hold(child);
      const late = after(this.#options.clock, ms, () => give("late", "it took too long"));
      aborted = onAbort(signal, () => give("failed", "it was called off"));
    });
  }
}

/** A process that owes an answer keeps this program alive; one that waits for work does not. */
function hold(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}

function unhold(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}
