// Requests to a handler, and what came back.

import { systemClock } from "../base/clock.ts";
import { chain } from "../core/topology.ts";
import type { Model } from "../core/types.ts";
import { scripted } from "../testing/scripted.ts";
import type { Line } from "../testing/scripted.ts";
import { handler } from "./handler.ts";
import type { Handler } from "./handler.ts";
import type { HandlerOptions } from "./service.ts";
import type { Team } from "./team.ts";

/** JSON from outside. */
export type Wire = any;

export const says = (...lines: Line[]): Model => scripted(systemClock, () => lines);
export const solver = (model: Model) => ({ id: "solver", instructions: "Solve.", model });
export const reviewer = (model: Model) => ({ id: "reviewer", instructions: "Review.", model });

export const two = (first: Model, second: Model): Team => ({ topology: chain([solver(first), reviewer(second)]) });
export const pair = (): Team => {
  const first = says("one\nEND_", "STEP\ntwo\n", "END_STEP\n");
  const second = scripted(systemClock, (call) => [`seen `, `${call + 1}`, "\nEND_STEP"]);
  return two(first, second);
};

export const post = (answer: Handler, path: string, { body, ...init }: Omit<RequestInit, "body"> & { body: unknown }) =>
  answer(
    new Request(`http://127.0.0.1${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...init,
    }),
  );
export const get = (answer: Handler, path: string, headers: Record<string, string> = {}) =>
  answer(new Request(`http://127.0.0.1${path}`, { headers }));
export const hi = [{ role: "user", content: "hi" }];
export const chat = (answer: Handler, body: object = {}, init: RequestInit = {}) =>
  post(answer, "/v1/chat/completions", { ...init, body: { model: "team", messages: hi, ...body } });
export const serving = (team: Team, options: Partial<HandlerOptions> = {}) => handler({ teams: { team }, ...options });
export const eventsOf = (text: string): Wire[] =>
  text
    .split("\n\n")
    .filter((block) => /^data: |\ndata: /.test(block))
    .map((block) => block.slice(block.indexOf("data: ") + 6))
    .map((data) => (data === "[DONE]" ? data : JSON.parse(data)));
export const said = (events: Wire[]): string => events.map((event) => event.choices?.[0]?.delta.content ?? "").join("");
export const failure = async (response: Response): Promise<[number, string]> => [
  response.status,
  (await response.json()).error.message,
];
