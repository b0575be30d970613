import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { tinyGguf } from "../../testing/gguf.ts";
import { modelSuite } from "../../testing/model-suite.ts";
import type { Made } from "../../testing/model-suite.ts";
import { llama } from "./index.ts";

let folder = "";
let path = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-suite-"));
  path = join(folder, "tiny.gguf");
  await writeFile(path, tinyGguf());
});
after(() => rm(folder, { recursive: true, force: true }));

/** A model whose only place is taken: it takes a request and says nothing. */
async function busy(): Promise<Made> {
  const model = await llama({ path, threads: 1, contexts: 1, contextTokens: 512 });
  const holder = model.stream({ messages: [{ role: "user", content: "one" }] })[Symbol.asyncIterator]();
  await holder.next();
  const close = async () => {
    await holder.return?.();
    await model.close();
  };
  return { model, close };
}

modelSuite("llama", {
  make: async (behaviour) => {
    if (behaviour === "stall" || behaviour === "close" || behaviour === "fail") {
      return { skip: "a model in this process has no connection that could stall, close or fail" };
    }
    if (behaviour === "silent") return busy();
    const model = await llama({ path, threads: 1, contextTokens: 512 });
    return { model, close: () => model.close() };
  },
  abortMs: 500,
  calls: 40,
});
