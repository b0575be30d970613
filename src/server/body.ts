// The body of a request, read with a bound and checked field by field.

import { z } from "zod";
import { faultIn } from "./fault.ts";
import { HttpError } from "./simulate-request.ts";

/** The body as text. Rejects with an `HttpError` 413 as soon as it is larger than `most` bytes. */
export async function readText(request: Request, most: number): Promise<string> {
  const tooLarge = () =>
    new HttpError(413, `the body is larger than ${most} bytes`, { headers: { connection: "close" } });
  const length = request.headers.get("content-length");
  if (Number(length ?? 0) > most) throw tooLarge();
  if (length !== null && request.headers.get("transfer-encoding") === null) {
    // No more than its length comes, and as one text it comes without a stream of it.
    const text = await request.text();
    if (text.length > most) throw tooLarge();
    return text;
  }
  if (request.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > most) throw tooLarge();
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Reads JSON after a schema. Throws an `HttpError` 400 that names the first field that is wrong. */
export function parseBody<T extends z.ZodType>(text: string, schema: T): z.infer<T> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new HttpError(400, "the body is not JSON");
  }
  const { success, data, error } = schema.safeParse(json);
  if (success) return data;
  const { path: param, message } = faultIn(error, json);
  const unsupported = error.issues[0]?.code === "unrecognized_keys";
  const reason = unsupported ? "this parameter is not supported; leave it out" : message;
  throw new HttpError(
    400,
    param === "" ? reason : `${param}: ${reason}`,
    param === "" ? {} : { param, ...(unsupported ? { code: "unsupported_parameter" } : {}) },
  );
}

/** Clients send null for what they leave open. */
export const open = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

/** A parameter that may be given with the one value that asks for nothing. */
export const neutral = <const T extends string | number | boolean>(value: T) =>
  open(z.literal(value, `this parameter is not supported; leave it out or give ${JSON.stringify(value)}`));

/** A list that may be there but must be empty. */
export const noTools = open(z.array(z.unknown()).max(0, "tools are not supported; teams answer in text"));

/** Parameters that only tell who asks and why: taken, and without effect. */
export const remarks = {
  user: open(z.string()),
  safety_identifier: open(z.string()),
  metadata: open(z.record(z.string(), z.string())),
  prompt_cache_key: open(z.string()),
  prompt_cache_retention: open(z.string()),
  parallel_tool_calls: open(z.boolean()),
  tools: noTools,
  tool_choice: open(z.enum(["none", "auto"], "tools are not supported; leave it out")),
  service_tier: open(z.enum(["auto", "default"], 'there are no tiers; leave it out or give "auto"')),
  top_p: neutral(1),
};
