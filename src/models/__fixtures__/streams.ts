import type { Usage } from "../../core/types.ts";

/** A raw body as one kind of server sends it, and what it says. */
export type Stream = {
  readonly server: string;
  readonly raw: string;
  readonly text: string;
  readonly reasoning?: string;
  readonly usage: Usage;
};

const lines = (...parts: readonly string[]) => parts.map((part) => `${part}\n\n`).join("");
const data = (...chunks: readonly object[]) => lines(...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}`));

const chunk = (model: string) => {
  const base = { id: "chatcmpl-A1", object: "chat.completion.chunk", created: 1_760_000_000, model };
  return (delta: object, finish: string | null = null, more: object = {}) => ({
    ...base,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...more,
  });
};

const openai = chunk("gpt-4o-mini");
const vllm = chunk("Qwen/Qwen3-8B");
const llama = chunk("qwen2.5-0.5b");
const deepseek = chunk("deepseek-reasoner");
const router = chunk("vendor/model");
const kimi = chunk("kimi-k2");

/** Bodies in the shapes that widely used servers give them; the words are ours. */
export const streams: readonly Stream[] = [
  {
    server: "OpenAI",
    raw:
      data(
        openai({ role: "assistant", content: "", refusal: null }, null, { usage: null, obfuscation: "x9" }),
        openai({ content: "Twelve" }, null, { usage: null, obfuscation: "Kd2" }),
        openai({ content: " eggs 🥚." }, null, { usage: null, obfuscation: "Q" }),
        openai({}, "stop", { usage: null }),
        {
          ...openai({}),
          choices: [],
          usage: {
            prompt_tokens: 1200,
            completion_tokens: 6,
            total_tokens: 1206,
            prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
            completion_tokens_details: { reasoning_tokens: 0 },
          },
        },
      ) + lines("data: [DONE]"),
    text: "Twelve eggs 🥚.",
    usage: { calls: 1, inputTokens: 1200, cachedTokens: 1024, outputTokens: 6 },
  },
  {
    server: "vLLM with continuous usage and a reasoning parser",
    raw:
      data(
        vllm({ role: "assistant", content: "" }, null, {
          usage: { prompt_tokens: 20, total_tokens: 20, completion_tokens: 0 },
        }),
        vllm({ reasoning_content: "A dozen" }, null, {
          usage: { prompt_tokens: 20, total_tokens: 22, completion_tokens: 2 },
        }),
        vllm({ reasoning_content: " is twelve." }, null, {
          usage: { prompt_tokens: 20, total_tokens: 25, completion_tokens: 5 },
        }),
        vllm({ content: "Twelve." }, "stop", { usage: { prompt_tokens: 20, total_tokens: 27, completion_tokens: 7 } }),
        {
          ...vllm({}),
          choices: [],
          usage: { prompt_tokens: 20, total_tokens: 28, completion_tokens: 8, prompt_tokens_details: null },
        },
      ) + lines("data: [DONE]"),
    text: "Twelve.",
    reasoning: "A dozen is twelve.",
    usage: { calls: 1, inputTokens: 20, cachedTokens: 0, outputTokens: 8 },
  },
  {
    server: "llama.cpp",
    raw:
      data(
        llama({ role: "assistant", content: null }),
        llama({ content: "Zwölf" }),
        llama({ content: " 蛋" }),
        llama({}, "stop"),
        {
          ...llama({}),
          choices: [],
          usage: { completion_tokens: 4, prompt_tokens: 31, total_tokens: 35 },
          timings: { cache_n: 24, prompt_n: 7, prompt_ms: 21.5, predicted_n: 4, predicted_ms: 40.1 },
        },
      ) + lines("data: [DONE]"),
    text: "Zwölf 蛋",
    usage: { calls: 1, inputTokens: 31, cachedTokens: 24, outputTokens: 4 },
  },
  {
    server: "DeepSeek, usage inside the last chunk",
    raw:
      lines(": keep-alive", ": keep-alive") +
      data(
        deepseek({ role: "assistant", content: null, reasoning_content: "" }),
        deepseek({ content: null, reasoning_content: "Count them." }),
        deepseek({ content: "Twelve", reasoning_content: null }),
        deepseek({ content: "!", reasoning_content: null }, "stop", {
          usage: {
            prompt_tokens: 90,
            completion_tokens: 9,
            total_tokens: 99,
            prompt_tokens_details: null,
            completion_tokens_details: { reasoning_tokens: 5 },
            prompt_cache_hit_tokens: 64,
            prompt_cache_miss_tokens: 26,
          },
        }),
      ) +
      lines("data: [DONE]"),
    text: "Twelve!",
    reasoning: "Count them.",
    usage: { calls: 1, inputTokens: 90, cachedTokens: 64, outputTokens: 9 },
  },
  {
    server: "OpenRouter with comments",
    raw:
      lines(": OPENROUTER PROCESSING", ": OPENROUTER PROCESSING") +
      data(
        router({
          role: "assistant",
          content: "",
          reasoning: "Hm.",
          reasoning_details: [{ type: "reasoning.text", text: "Hm." }],
        }),
        router({ role: "assistant", content: "Twelve" }),
      ) +
      lines(": OPENROUTER PROCESSING") +
      data(
        router({ role: "assistant", content: "" }, "stop", { provider: "Vendor" }),
        router({ role: "assistant", content: "" }, null, {
          usage: {
            prompt_tokens: 15,
            completion_tokens: 3,
            total_tokens: 18,
            cost: 0.00001,
            prompt_tokens_details: { cached_tokens: 0 },
          },
        }),
      ) +
      lines("data: [DONE]"),
    text: "Twelve",
    reasoning: "Hm.",
    usage: { calls: 1, inputTokens: 15, cachedTokens: 0, outputTokens: 3 },
  },
  {
    server: "one that puts the usage into the choice, uses CRLF and no space, and sends no [DONE]",
    raw: data(kimi({ content: "Twelve" }), {
      id: "x",
      choices: [{ index: 0, delta: {}, finish_reason: "stop", usage: { prompt_tokens: 3, completion_tokens: 1 } }],
    })
      .replaceAll("\n", "\r\n")
      .replaceAll("data: ", "data:"),
    text: "Twelve",
    usage: { calls: 1, inputTokens: 3, cachedTokens: 0, outputTokens: 1 },
  },
  {
    server: "one whose usage chunk has null choices",
    raw:
      data(kimi({ content: "Twelve" }), kimi({}, "stop"), {
        choices: null,
        usage: { prompt_tokens: 3, completion_tokens: 1 },
      }) + lines("data: [DONE]"),
    text: "Twelve",
    usage: { calls: 1, inputTokens: 3, cachedTokens: 0, outputTokens: 1 },
  },
  {
    server: "one whose usage chunk has no choices field, and content in typed pieces",
    raw:
      data(
        kimi({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Eggs." }] }] }),
        kimi({ content: [{ type: "text", text: "Twelve" }] }),
        kimi({}, "stop"),
        { usage: { prompt_tokens: 3, completion_tokens: 1 } },
      ) + lines("data: [DONE]"),
    text: "Twelve",
    reasoning: "Eggs.",
    usage: { calls: 1, inputTokens: 3, cachedTokens: 0, outputTokens: 1 },
  },
];
