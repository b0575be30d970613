// The zero-latency model as each kind of framework wants it: the texts one after the other, nothing waited for.

export async function* said(texts) {
  for (const text of texts) yield text;
}

export async function drained(stream) {
  let count = 0;
  for await (const _ of stream) count++;
  return count;
}

/** A whole answer, as a node that has no use for a stream takes it. */
export async function answer(texts) {
  let all = "";
  for await (const text of said(texts)) all += text;
  return all;
}

const finish = {
  v2: { finishReason: "stop", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } },
  v3: {
    finishReason: { unified: "stop", raw: "stop" },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
  },
};

/** A language model of the AI SDK, specification `v2` or `v3`. */
export function languageModel(texts, specificationVersion = "v3") {
  async function* parts() {
    yield { type: "stream-start", warnings: [] };
    yield { type: "text-start", id: "1" };
    for (const delta of texts) yield { type: "text-delta", id: "1", delta };
    yield { type: "text-end", id: "1" };
    yield { type: "finish", ...finish[specificationVersion] };
  }
  return {
    specificationVersion,
    provider: "instant",
    modelId: "instant",
    supportedUrls: {},
    doGenerate: async () => {
      throw new Error("only streams are measured");
    },
    doStream: async () => ({ stream: ReadableStream.from(parts()) }),
  };
}

/** Drains the model alone, without any framework. */
export const bare = async (model) => drained((await model.doStream({ prompt: [] })).stream);

/** Fails where a framework did not deliver what the model said. */
export function whole(name, seen, wanted) {
  if (seen < wanted) throw new Error(`${name} delivered ${seen} of ${wanted} texts`);
}
