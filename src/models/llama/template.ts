import { loadJinja } from "./native.ts";
import type { Shared } from "./native.ts";
import { plainTemplate } from "./prompt.ts";
import type { PromptOptions } from "./prompt.ts";

/** How a model wants messages written: by the chat template of its file, or plainly where it has none. */
export async function promptOptions(id: string, { native }: Shared, template: unknown): Promise<PromptOptions> {
  const { Template } = await loadJinja();
  const compiled = new Template(typeof template === "string" ? template : plainTemplate);
  const { bos, bosString, eosString, shouldPrependBosToken } = native.tokens;
  return {
    model: id,
    render: (variables) => compiled.render({ ...variables }),
    tokenize: (text, special) => native.tokenize(text, special, "trimLeadingSpace"),
    bos: { text: bosString, token: bos, prepend: shouldPrependBosToken },
    eosText: eosString,
  };
}
