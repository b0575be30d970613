// The fine-tuning API of OpenAI, and of servers that speak it: files, jobs, their events.

import { z } from "zod";
import { after, systemClock } from "../../base/clock.ts";
import type { Clock } from "../../base/clock.ts";
import { ModelError } from "../../base/errors.ts";
import { onAbort } from "../../base/signal.ts";
import { connectionError, fault, saidError, statusError } from "../../models/openai-errors.ts";
import type { Place } from "../../models/openai-errors.ts";

/** Where the API is, and how it is called. */
export type ApiOptions = {
  /** Where `/files` and `/fine_tuning/jobs` hang; usually ends in `/v1`. */
  readonly baseURL: string;
  /** Sent as a bearer token. */
  readonly apiKey?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly clock?: Clock | undefined;
  /** How often a request that may succeed later is made again; default 5. */
  readonly retries?: number | undefined;
  /** The longest an answer may take, in milliseconds; default 120,000. */
  readonly idleMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

const jobSchema = z.object({
  id: z.string(),
  status: z.string(),
  model: z.string().optional(),
  training_file: z.string().optional(),
  fine_tuned_model: z.string().nullish(),
  trained_tokens: z.number().nullish(),
  estimated_finish: z.number().nullish(),
  error: z.unknown().optional(),
});

/** A fine-tuning job as the server describes it. */
export type Job = z.infer<typeof jobSchema>;

const fileSchema = z.object({ id: z.string() });
const eventsSchema = z.object({ data: z.array(z.object({ message: z.string() })) });
const jobsSchema = z.object({ data: z.array(jobSchema) });

/** What is asked for. */
export type JobRequest = {
  readonly model: string;
  readonly trainingFile: string;
  readonly validationFile: string;
  readonly suffix?: string | undefined;
  readonly seed: number;
  readonly epochs?: number | undefined;
};

export type Api = {
  /** Uploads a file of examples; its id. */
  readonly upload: (name: string, content: string) => Promise<string>;
  readonly create: (request: JobRequest) => Promise<Job>;
  readonly get: (id: string) => Promise<Job>;
  readonly cancel: (id: string) => Promise<Job>;
  /** The job that trains on a file, if there is one. */
  readonly find: (trainingFile: string) => Promise<Job | undefined>;
  /** The newest thing the job said. */
  readonly said: (id: string) => Promise<string | undefined>;
};

type Call = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: FormData | Readonly<Record<string, unknown>> | undefined;
  /** In place of the caller's own. */
  readonly retries?: number;
};

/** Why a job failed, in its own words. */
export const reasonOf = ({ error }: Job): string => (error == null ? "no reason was given" : saidError(error));

const firstWaitMs = 1000;

class Caller {
  readonly #options: ApiOptions;
  readonly #place: Place;
  readonly #clock: Clock;

  constructor(options: ApiOptions, model: string) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const url = options.baseURL.replace(/[?#].*$/, "");
    this.#place = { model, url, secrets: [options.apiKey?.trim() ?? ""] };
  }

  async #once({ method, path, body }: Call): Promise<unknown> {
    const { apiKey, fetch = globalThis.fetch, signal, idleMs = 120_000 } = this.#options;
    const key = apiKey?.trim() ?? "";
    const form = body instanceof FormData;
    const headers: Record<string, string> = { accept: "application/json" };
    if (key !== "") headers["authorization"] = `Bearer ${key}`;
    if (body !== undefined && !form) headers["content-type"] = "application/json";
    const own = new AbortController();
    const forget = onAbort(signal, () => own.abort(signal?.reason));
    const late = after(this.#clock, idleMs, () => own.abort(new DOMException("no answer in time", "TimeoutError")));
    const sent = body === undefined ? {} : { body: form ? body : JSON.stringify(body) };
    try {
      const url = `${this.#options.baseURL.replace(/\/+$/, "")}${path}`;
      const response = await fetch.call(globalThis, url, { method, headers, signal: own.signal, ...sent });
      const text = await response.text();
      if (!response.ok) throw statusError(this.#place, response, text);
      return parsed(text, this.#place);
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof ModelError ? error : connectionError(this.#place, error);
    } finally {
      late();
      forget();
    }
  }

  /** One request, made again where it may succeed later. */
  async call<T>(request: Call, schema: z.ZodType<T>): Promise<T> {
    const { signal } = this.#options;
    const { retries = this.#options.retries ?? 5 } = request;
    for (let attempt = 0; ; attempt++) {
      try {
        const { success, data } = schema.safeParse(await this.#once(request));
        if (success) return data;
        throw fault(
          this.#place,
          `answered something else than ${request.path} should; check the base URL (it usually ends in /v1)`,
        );
      } catch (error) {
        if (!(error instanceof ModelError) || !error.retryable || attempt >= retries) throw error;
        await this.#clock.sleep(error.retryAfterMs ?? firstWaitMs * 2 ** attempt, signal);
        signal?.throwIfAborted();
      }
    }
  }
}

function parsed(text: string, place: Place): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fault(place, "answered something else than JSON; check the base URL (it usually ends in /v1)", { cause });
  }
}

/** Speaks to a server's fine-tuning API; `model`: the base, as errors name it. All calls throw `ModelError`. */
export function tuningApi(options: ApiOptions, model: string): Api {
  const caller = new Caller(options, model);
  const jobs = "/fine_tuning/jobs";
  const at = (id: string) => `${jobs}/${encodeURIComponent(id)}`;
  return {
    upload: async (name, content) => {
      const body = new FormData();
      body.set("purpose", "fine-tune");
      body.set("file", new Blob([content], { type: "application/jsonl" }), name);
      return (await caller.call({ method: "POST", path: "/files", body }, fileSchema)).id;
    },
    create: ({ model: of, trainingFile, validationFile, suffix, seed, epochs }) => {
      const hyper = epochs === undefined ? {} : { hyperparameters: { n_epochs: epochs } };
      const method = { type: "supervised", supervised: hyper };
      const named = suffix === undefined ? {} : { suffix };
      const body = { model: of, training_file: trainingFile, validation_file: validationFile, seed, method, ...named };
      return caller.call({ method: "POST", path: jobs, body }, jobSchema);
    },
    get: (id) => caller.call({ method: "GET", path: at(id) }, jobSchema),
    cancel: (id) => caller.call({ method: "POST", path: `${at(id)}/cancel` }, jobSchema),
    find: async (file) => {
      const { data } = await caller.call({ method: "GET", path: `${jobs}?limit=100` }, jobsSchema);
      return data.find(({ training_file: of }) => of === file);
    },
    said: async (id) => {
      const { data } = await caller.call({ method: "GET", path: `${at(id)}/events?limit=1`, retries: 0 }, eventsSchema);
      return data[0]?.message;
    },
  };
}
