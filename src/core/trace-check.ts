// Checks events that come from outside. Hand-written, since the core has no dependency.

import type { RunEvent } from "./types.ts";

/** The version of the trace format that is written and read. */
export const traceVersion = 1;

/** What was expected, with the place below the field where there is one; undefined when the value is right. */
type Check = (value: unknown) => { readonly at?: string; readonly expected: string; readonly got: unknown } | undefined;
type Fields = readonly (readonly [name: string, check: Check])[];

const check =
  (expected: string, test: (value: unknown) => boolean): Check =>
  (value) =>
    test(value) ? undefined : { expected, got: value };

const optional =
  (inner: Check): Check =>
  (value) =>
    value === undefined ? undefined : inner(value);

const oneOf = (...names: readonly string[]): Check =>
  check(`one of ${names.join(", ")}`, (value) => typeof value === "string" && names.includes(value));

const text = check("a string", (value) => typeof value === "string");
const flag = check("true or false", (value) => typeof value === "boolean");
const number = check("a number", (value) => typeof value === "number" && Number.isFinite(value));
const amount = check("a number from 0", (value) => typeof value === "number" && value >= 0 && Number.isFinite(value));
const count = check("a whole number from 0", (value) => Number.isSafeInteger(value) && (value as number) >= 0);

const list =
  (item: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return { expected: "a list", got: value };
    for (const [index, one] of value.entries()) {
      const wrong = item(one);
      if (wrong !== undefined) return { ...wrong, at: `[${index}]${wrong.at ?? ""}` };
    }
    return undefined;
  };

const pair =
  (expected: string, first: Check, second: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length === 2 && first(value[0]) === undefined && second(value[1]) === undefined
      ? undefined
      : { expected, got: value };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const object =
  (fields: Fields): Check =>
  (value) => {
    if (!isObject(value)) return { expected: "an object", got: value };
    for (const [name, inner] of fields) {
      const wrong = inner(value[name]);
      if (wrong !== undefined) return { ...wrong, at: `.${name}${wrong.at ?? ""}` };
    }
    return undefined;
  };

const usage = object([
  ["calls", count],
  ["inputTokens", count],
  ["cachedTokens", count],
  ["outputTokens", count],
  ["estimated", optional(flag)],
]);
const failure = optional(
  object([
    ["name", text],
    ["message", text],
  ]),
);

const said: Fields = [
  ["at", amount],
  ["agent", text],
  ["seq", count],
];
const inTurn: Fields = [...said, ["turn", count]];

const fieldsOf: { readonly [T in RunEvent["type"]]: Fields } = {
  "run-start": [
    ["at", check("0", (value) => value === 0)],
    ["run", text],
    ["date", optional(text)],
    ["protocol", text],
    ["join", oneOf("aligned", "arrival")],
    ["hear", oneOf("each", "waiting")],
    ["task", text],
    [
      "agents",
      list(
        object([
          ["id", text],
          ["model", text],
        ]),
      ),
    ],
    ["edges", list(pair("a pair [speaker, listener]", text, text))],
    ["simulated", optional(flag)],
  ],
  "turn-start": [
    ...inTurn,
    ["heard", list(pair("a pair [speaker, step index]", text, count))],
    ["resumes", optional(count)],
  ],
  reasoning: [...inTurn, ["text", text]],
  chunk: [...inTurn, ["text", text], ["tokens", optional(amount)]],
  step: [...inTurn, ["index", count], ["text", text], ["cut", optional(flag)]],
  decision: [
    ...inTurn,
    ["by", text],
    ["advantage", number],
    ["probability", optional(number)],
    ["chunks", count],
    ["tokens", amount],
    ["ms", amount],
    ["outcome", oneOf("wait", "interrupt", "late", "timeout", "failed")],
    ["usage", optional(usage)],
    ["note", optional(text)],
  ],
  leave: [...inTurn, ["listener", text], ["text", text]],
  route: [...said, ["listeners", list(text)]],
  interrupt: [...said, ["turn", optional(count)], ["by", text], ["reason", optional(text)]],
  "turn-end": [
    ...inTurn,
    ["reason", oneOf("stop", "length", "interrupted", "truncated", "failed", "cancelled")],
    ["usage", usage],
    ["waitedMs", optional(amount)],
    ["overrunTokens", optional(amount)],
  ],
  "agent-end": [
    ...said,
    ["reason", oneOf("done", "interrupted", "skipped", "failed", "cancelled")],
    ["error", failure],
  ],
  "run-end": [
    ["at", amount],
    ["reason", oneOf("done", "failed", "cancelled")],
    ["answer", optional(text)],
    ["error", failure],
  ],
};
/** What is asked of an event type that this version does not know. */
const unknownFields: Fields = [["at", amount]];

const shown = (value: unknown): string => {
  if (value === undefined) return "nothing";
  const json = JSON.stringify(value);
  return json.length <= 40 ? json : `${json.slice(0, 40)}…`;
};

/** What is wrong with a parsed line as an event of a trace, naming the field, or undefined. Unknown event types pass. */
export function faultOf(value: unknown): string | undefined {
  if (!isObject(value)) return `an event is a JSON object, not ${shown(value)}; is this a trace?`;
  const { type } = value;
  if (typeof type !== "string") return `type: expected the event's type, got ${shown(type)}; is this a trace?`;
  if (type === "run-start" && value["version"] !== traceVersion)
    return `version: this trace has version ${shown(value["version"])} and only version ${traceVersion} can be read here; read it with the release of Duplex that wrote it`;
  const fields = Object.hasOwn(fieldsOf, type) ? fieldsOf[type as RunEvent["type"]] : unknownFields;
  for (const [name, inner] of fields) {
    const wrong = inner(value[name]);
    if (wrong !== undefined)
      return `${type}.${name}${wrong.at ?? ""}: expected ${wrong.expected}, got ${shown(wrong.got)}`;
  }
  return undefined;
}
