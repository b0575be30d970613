import { type Clock, systemClock } from "../../base/clock.ts";
import type { Model } from "../../core/types.ts";
import type { Behaviour, Made } from "../../testing/model-suite.ts";
import { type Exchange, say, saying, serve } from "./server.ts";

/** A clock on which a minute lasts 60 ms. */
export const hastyClock: Clock = {
  now: () => performance.now() * 1000,
  sleep: (ms, signal) => systemClock.sleep(ms / 1000, signal),
};

const texts = ["one", " zwei", " три", " 四", " 🖐"];

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function onAndOn(exchange: Exchange): Promise<void> {
  for (let word = 0; exchange.open && word < 100_000; word++) {
    await exchange.data(saying(` word${word}`));
    await turn();
  }
}

const answers: Readonly<Record<Behaviour, (exchange: Exchange) => unknown>> = {
  plain: (exchange) => say(exchange, texts),
  slow: onAndOn,
  silent: () => {},
  stall: (exchange) => exchange.data(saying("so far")),
  close: async (exchange) => {
    await exchange.data(saying("so far"));
    exchange.end();
  },
  fail: async (exchange) => {
    await exchange.data(saying("so far"));
    await exchange.data({ error: { message: "out of memory", type: "server_error", code: 500 } });
    exchange.end();
  },
};

/** A model behind a real server that behaves as asked; `connect` makes the model. */
export async function behaving(behaviour: Behaviour, connect: (baseURL: string, clock: Clock) => Model): Promise<Made> {
  const server = await serve(answers[behaviour]);
  return {
    model: connect(server.baseURL, behaviour === "stall" ? hastyClock : systemClock),
    text: texts.join(""),
    left: () => server.exchanges.at(-1)?.closed ?? Promise.resolve(),
    close: () => server.close(),
  };
}
