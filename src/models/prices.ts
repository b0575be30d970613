import { calcPrice } from "@pydantic/genai-prices";
import type { ModelPrice } from "@pydantic/genai-prices";
import { ConfigError } from "../base/errors.ts";
import type { Price } from "../core/usage.ts";

/**
 * What a model takes, from the price list in the package @pydantic/genai-prices, in USD; undefined for models it does not
 * know and for those that run here or are simulated. `modelId` may be a spec such as `openai:NAME@URL`: the address then
 * tells the provider. `provider` is a provider's id in that list. Where a price depends on the length of the prompt the
 * shortest counts, and where it depends on time, `date` (default: now).
 */
export function priceOf(modelId: string, provider?: string, date: Date = new Date()): Price | undefined {
  const { form, name, url } = partsOf(modelId);
  if (form === "simulated" || form === "llama" || name === "") return undefined;
  const where = provider !== undefined ? { providerId: provider } : url !== undefined ? { providerApiUrl: url } : {};
  const found = calcPrice({}, name, { ...where, timestamp: date });
  if (found === null) return undefined;
  const input = perMillion(found.model_price, "input_mtok");
  const output = perMillion(found.model_price, "output_mtok");
  if (input === undefined || output === undefined) return undefined;
  return { currency: "USD", input, cached: perMillion(found.model_price, "cache_read_mtok") ?? input, output };
}

/** `form:name@url`, of which only the name must be there; names may have colons of their own. */
function partsOf(modelId: string): { form: string | undefined; name: string; url: string | undefined } {
  const [, form, rest] = /^(?:(simulated|llama|openai)(?::|$))?(.*)$/s.exec(modelId) ?? [];
  const [, name, url] = /^(.*?)(?:@(https?:.*))?$/s.exec(rest ?? "") ?? [];
  return { form, name: name ?? "", url };
}

function perMillion(price: ModelPrice, key: string): number | undefined {
  const found = price[key];
  return typeof found === "object" ? found.base : found;
}

const known = ["input", "cached", "output", "currency"];
const form = "write it as input=2.5,output=10, and if you like cached=0.25,currency=EUR";

/** Reads `input=2.5,cached=0.25,output=10,currency=USD`: prices per million tokens. `cached` is `input` where it is left out. */
export function parsePrice(text: string): Price {
  const fields = new Map<string, string>();
  for (const part of text.split(",")) {
    const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(part.trim()) ?? [];
    if (!known.includes(name)) throw new ConfigError("--price", `there is no "${name}" in a price; ${form}`);
    if (fields.has(name)) throw new ConfigError("--price", `"${name}" is there twice`);
    fields.set(name, value.trim());
  }
  const amount = (name: string, otherwise?: number): number => {
    const value = fields.get(name);
    if (value === undefined && otherwise !== undefined) return otherwise;
    if (value === undefined) throw new ConfigError("--price", `"${name}" is missing; ${form}`);
    if (!/^\d+(\.\d+)?$|^\.\d+$/.test(value))
      throw new ConfigError(
        "--price",
        `${name}: expected an amount per million tokens from 0, got "${value}"; ${form}`,
      );
    return Number(value);
  };
  const currency = fields.get("currency") ?? "USD";
  if (!/^[A-Z]{3}$/.test(currency))
    throw new ConfigError("--price", `currency: expected three capitals such as USD, got "${currency}"`);
  const input = amount("input");
  return { currency, input, cached: amount("cached", input), output: amount("output") };
}
