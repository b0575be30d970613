// A server that behaves like OpenAI's fine-tuning API, and serves what it has tuned.

import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { onAbort } from "../../base/signal.ts";

export type Behavior = {
  /** States of a job at each look, the last one for good. */
  readonly states?: readonly string[];
  readonly error?: unknown;
  /** Answers so often before it does what it is asked. */
  readonly busy?: {
    readonly times: number;
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** Breaks off every connection after so many looks at a job. */
  readonly diesAfter?: number;
  /** Loses the answer to the request for a job. */
  readonly losesJob?: boolean;
};

type Job = { readonly id: string; readonly training: string; looks: number; cancelled: boolean };

export type TuningServer = {
  readonly baseURL: string;
  readonly files: Map<string, string>;
  readonly jobs: Map<string, Job>;
  readonly bodies: unknown[];
  readonly keys: Set<string | undefined>;
  behavior: Behavior;
  readonly close: () => Promise<void>;
};

/** Time that passes at once: what would be waited for is added up. */
export function quickClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => waits.reduce((sum, ms) => sum + ms, 0),
    // What guards against silence does not pass: the server's time is real.
    sleep: (ms, signal) => {
      if (ms >= 60_000) return new Promise((resolve) => onAbort(signal, resolve));
      waits.push(ms);
      return Promise.resolve();
    },
    after: () => () => {},
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part as string;
  return text;
}

const send = (response: ServerResponse, value: unknown, { status = 200, headers = {} } = {}) =>
  void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));

/** Yes where the last message holds it before the question, as the labels have it. */
function completion(body: string): unknown {
  const { messages } = JSON.parse(body) as { messages: { content: string }[] };
  const sure = messages.at(-1)?.content.includes("Yes\n") === true ? -0.1 : -3;
  const top = [
    { token: "Yes", logprob: sure },
    { token: "No", logprob: Math.log(1 - Math.exp(sure)) },
  ];
  const logprobs = { content: [{ token: "Yes", logprob: sure, top_logprobs: top }] };
  const choices = [{ index: 0, message: { role: "assistant", content: "Yes" }, finish_reason: "length", logprobs }];
  return {
    id: "c",
    object: "chat.completion",
    choices,
    usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
  };
}

type State = Omit<TuningServer, "close" | "baseURL"> & { busy: number };

function shown(state: State, job: Job): unknown {
  const { states = ["succeeded"], error = null } = state.behavior;
  const status = job.cancelled ? "cancelled" : states[Math.min(job.looks, states.length - 1)];
  const tuned = status === "succeeded" ? { fine_tuned_model: "ft:small:duplex", trained_tokens: 1234 } : {};
  return {
    id: job.id,
    object: "fine_tuning.job",
    status,
    training_file: job.training,
    error: status === "failed" ? error : null,
    ...tuned,
  };
}

function atJob(state: State, [, id = "", action]: readonly string[], response: ServerResponse): void {
  const job = state.jobs.get(decodeURIComponent(id));
  if (job === undefined) return send(response, { error: { message: "no such job" } }, { status: 404 });
  if (action === "/events") return send(response, { data: [{ message: `Step ${job.looks}/9` }] });
  if (action === "/cancel") job.cancelled = true;
  const now = shown(state, job);
  job.looks++;
  return send(response, now);
}

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { behavior, jobs, files, bodies } = state;
  const body = await bodyOf(request);
  state.keys.add(request.headers.authorization);
  const { busy, diesAfter = Infinity, losesJob } = behavior;
  if (busy !== undefined && state.busy < busy.times) {
    state.busy++;
    return send(response, { error: { message: "slow down" } }, busy);
  }
  const [path = "", query = ""] = (request.url ?? "").replace("/v1", "").split("?");
  if ([...jobs.values()].some(({ looks }) => looks >= diesAfter)) return void response.destroy();
  if (path === "/files") {
    const id = `file-${files.size + 1}`;
    files.set(id, body);
    return send(response, { id, object: "file", purpose: "fine-tune" });
  }
  if (path === "/chat/completions") return send(response, completion(body));
  const at = /^\/fine_tuning\/jobs\/([^/]+)(\/\w+)?$/.exec(path);
  if (at !== null) return atJob(state, at, response);
  if (path !== "/fine_tuning/jobs") return send(response, { error: { message: `no ${path}` } }, { status: 404 });
  if (request.method === "GET")
    return send(response, { data: [...jobs.values()].map((job) => shown(state, job)), query });
  const asked = JSON.parse(body) as { training_file: string };
  bodies.push(asked);
  const job = { id: `ftjob-${jobs.size + 1}`, training: asked.training_file, looks: 0, cancelled: false };
  jobs.set(job.id, job);
  if (losesJob === true) return void response.destroy();
  return send(response, shown(state, { ...job, looks: 0 }));
}

export async function tuningServer(behavior: Behavior = {}): Promise<TuningServer> {
  const state: State = { files: new Map(), jobs: new Map(), bodies: [], keys: new Set(), behavior, busy: 0 };
  const server = createServer((request, response) => {
    answer(state, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    baseURL: `http://127.0.0.1:${port}/v1`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
