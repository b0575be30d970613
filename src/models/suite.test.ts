import { createOpenAICompatible as createV2 } from "openai-compatible-v2";
import { createOpenAICompatible as createV3 } from "openai-compatible-v3";
import { createOpenAICompatible as createV4 } from "openai-compatible-v4";
import { modelSuite } from "../testing/model-suite.ts";
import { behaving } from "./__fixtures__/behaviours.ts";
import { fromAISDK } from "./ai-sdk.ts";
import { limited } from "./limited.ts";
import { openai } from "./openai.ts";

modelSuite("openai", {
  make: (behaviour) => behaving(behaviour, (baseURL, clock) => openai({ baseURL, model: "test", clock })),
});

modelSuite("limited(openai)", {
  make: (behaviour) =>
    behaving(behaviour, (baseURL, clock) => limited(openai({ baseURL, model: "test", clock }), { concurrency: 1 })),
  calls: 100,
});

const settings = { name: "test", includeUsage: true };

modelSuite("fromAISDK, version 2", {
  make: (behaviour) =>
    behaving(behaviour, (baseURL, clock) => fromAISDK(createV2({ ...settings, baseURL })("test"), { clock })),
  calls: 100,
});

modelSuite("fromAISDK, version 3", {
  make: (behaviour) =>
    behaving(behaviour, (baseURL, clock) => fromAISDK(createV3({ ...settings, baseURL })("test"), { clock })),
  calls: 100,
});

modelSuite("fromAISDK, version 4", {
  make: (behaviour) =>
    behaving(behaviour, (baseURL, clock) => fromAISDK(createV4({ ...settings, baseURL })("test"), { clock })),
  calls: 100,
});
