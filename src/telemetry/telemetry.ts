// Runs as OpenTelemetry's spans and metrics: a fold over events, through the API alone.

import { context as contexts, isSpanContextValid, metrics, trace } from "@opentelemetry/api";
import type { Context, Meter, Tracer, TracerProvider } from "@opentelemetry/api";
import type { RunEvent } from "../core/types.ts";
import type { Price } from "../core/usage.ts";
import { priceOf } from "../models/prices.ts";
import { Habits, instruments } from "./measures.ts";
import { providerOf } from "./names.ts";
import { RunSpans } from "./run-spans.ts";
import type { Kit } from "./agent-spans.ts";

/** Where spans go and what is in them. */
export type TelemetryOptions = {
  /** Default: that of the SDK registered in this process; without one nothing is sent. */
  readonly tracer?: Tracer | undefined;
  readonly meter?: Meter | undefined;
  /** Puts tasks, steps, reasons and answers into spans; off by default. */
  readonly content?: boolean | undefined;
  /** What a model takes; default: the price list. */
  readonly price?: ((model: string) => Price | undefined) | undefined;
  /** The provider of a model in OpenTelemetry's words; default: guessed from the model's id. */
  readonly provider?: ((model: string) => string) | undefined;
  /** Takes secrets out of every text that goes into a span. */
  readonly redact?: ((text: string) => string) | undefined;
};

/** One run to be told of. */
export type WatchOptions = {
  /** The run's name in spans and metrics, one of few: a team's. Default: its protocol. */
  readonly name?: string | undefined;
  /** What the run is a part of; default: the active context. */
  readonly context?: Context | undefined;
};

/** Takes the events of one run, one by one. */
export type Watcher = {
  readonly add: (event: RunEvent) => void;
  /** No more events will come, for this reason where it was an error. What is still open is closed; twice changes nothing. */
  readonly end: (error?: unknown) => void;
};

/** Tells OpenTelemetry of runs. */
export type Telemetry = {
  /** Follows one run by hand. */
  readonly begin: (options?: WatchOptions) => Watcher;
  /** Passes events on, and tells of them on their way. */
  readonly watch: <E extends RunEvent>(
    events: AsyncIterable<E>,
    options?: WatchOptions,
  ) => AsyncGenerator<E, void, undefined>;
  /** Tells of a run that is over, at the times at which it happened. */
  readonly record: (trace: Iterable<RunEvent>, options?: WatchOptions) => void;
};

const name = "duplex-ai";

/** Spans of runs, agents, turns and decisions, and what is counted of them. */
export function telemetry(options: TelemetryOptions = {}): Telemetry {
  const { content = false, price = priceOf, provider = providerOf, redact = (text: string) => text } = options;
  const prices = new Map<string, Price | undefined>();
  const kit: Kit = {
    tracer: options.tracer ?? trace.getTracer(name),
    measures: instruments(options.meter ?? metrics.getMeter(name)),
    habits: new Habits(),
    content,
    provider,
    redact,
    price: (model) => {
      if (!prices.has(model)) prices.set(model, price(model));
      return prices.get(model);
    },
  };
  const begin: Telemetry["begin"] = (given = {}) => {
    const parent = given.context ?? contexts.active();
    let spans: RunSpans | undefined;
    return {
      add(event) {
        if (event.type === "run-start") {
          spans?.end();
          spans = new RunSpans(kit, event, { name: given.name ?? event.protocol, parent });
        } else spans?.add(event);
      },
      end: (error) => spans?.end(error),
    };
  };
  async function* through<E extends RunEvent>(events: AsyncIterable<E>, { add, end }: Watcher) {
    try {
      for await (const event of events) {
        add(event);
        yield event;
      }
    } catch (error) {
      end(error);
      throw error;
    } finally {
      end();
    }
  }
  // Begun now, while the caller's context is the active one.
  const watch: Telemetry["watch"] = (events, given) => through(events, begin(given));
  const record: Telemetry["record"] = (events, given) => {
    const { add, end } = begin(given);
    for (const event of events) add(event);
    end();
  };
  return { begin, watch, record };
}

/** Whether an SDK is registered in this process, so that spans go anywhere. */
export const hasSdk = (): boolean => isSpanContextValid(trace.getTracer(name).startSpan("probe").spanContext());

/** Has the registered SDK send what it still holds, where it can; never rejects. */
export async function flush(): Promise<void> {
  const providers = [delegateOf(trace.getTracerProvider()), metrics.getMeterProvider()];
  const each = providers.map(async (provider) => (provider as { forceFlush?: () => Promise<void> }).forceFlush?.());
  await Promise.allSettled(each);
}

/** The API hands out a stand-in for the provider that is registered, or will be. */
function delegateOf(provider: TracerProvider): TracerProvider {
  return (provider as { getDelegate?: () => TracerProvider }).getDelegate?.() ?? provider;
}
