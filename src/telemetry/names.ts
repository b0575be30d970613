// The names of attributes, events and metrics: `gen_ai.…` and `error.type` are OpenTelemetry's, `duplex.…` are ours.

/**
 * OpenTelemetry's semantic conventions for generative AI (in development there; as of the repository
 * open-telemetry/semantic-conventions-genai in 2026).
 */
export const genAi = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  model: "gen_ai.request.model",
  stream: "gen_ai.request.stream",
  agent: "gen_ai.agent.name",
  workflow: "gen_ai.workflow.name",
  inputTokens: "gen_ai.usage.input_tokens",
  cachedTokens: "gen_ai.usage.cache_read.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  finishReasons: "gen_ai.response.finish_reasons",
  firstChunk: "gen_ai.response.time_to_first_chunk",
  tokenType: "gen_ai.token.type",
  input: "gen_ai.input.messages",
  output: "gen_ai.output.messages",
  errorType: "error.type",
} as const;

const providers: readonly (readonly [RegExp, string])[] = [
  [/^(gpt|chatgpt|o\d|davinci)/, "openai"],
  [/^claude/, "anthropic"],
  [/^gemini/, "gcp.gemini"],
  [/^(mistral|ministral|magistral|codestral|pixtral)/, "mistral_ai"],
  [/^deepseek/, "deepseek"],
  [/^command/, "cohere"],
  [/^grok/, "x_ai"],
  [/^sonar/, "perplexity"],
  [/^kimi/, "moonshot_ai"],
];

/** The provider that a model's id lets one guess, in OpenTelemetry's words; `duplex` where it lets one guess none. */
export function providerOf(model: string): string {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  return providers.find(([pattern]) => pattern.test(name))?.[1] ?? "duplex";
}
