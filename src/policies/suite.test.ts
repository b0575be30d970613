import { policySuite } from "../testing/policy-suite.ts";
import type { PolicySubject } from "../testing/policy-suite.ts";
import { calibrated, weightsSchema } from "./calibrated.ts";
import { all, any, budget, cooldown, every, minChunks } from "./combine.ts";
import { featureNames } from "./features.ts";
import { afterChunks, concise, never, onPattern, random } from "./fixed.ts";
import { policyNamed } from "./named.ts";
import { ownAnswer } from "./own-answer.ts";
import { prompted } from "./prompted.ts";
import { finetuned, yesNo } from "./yes-no.ts";

const candidates = ["95 euros", "120 euros", "nine"];
// All that can be measured without an ear.
const asked = featureNames.filter((name) => name !== "ear");
const ones = asked.map(() => 1);
const weights = {
  schema: weightsSchema,
  features: asked,
  mean: ones,
  scale: ones,
  weights: ones,
  bias: -3,
  threshold: 0.6,
  provenance: { fitted: "by hand" },
} as const;

const policies: Readonly<Record<string, PolicySubject["make"]>> = {
  never: () => never,
  concise: () => concise,
  random: () => random(0.4, { seed: 7 }),
  "after chunks": () => afterChunks(3),
  "on a pattern": () => onPattern(/blue one \d+/g),
  prompted: () => prompted(),
  "prompted, by another model": ({ model }) => prompted({ model }),
  "yes or no": () => yesNo({ threshold: 0.1 }),
  "own answer among candidates": () => ownAnswer({ threshold: 0.3, candidates, stable: 2 }),
  "own answer, open": () => ownAnswer({ threshold: 0.3 }),
  calibrated: () => calibrated(weights, { answer: { candidates } }),
  finetuned: ({ model }) => finetuned(model),
  any: () => any(concise, afterChunks(6), prompted(), yesNo()),
  all: () => all(minChunks(2, random(0.8)), yesNo(), ownAnswer({ threshold: 0.2, candidates })),
  "a budget": () => budget({ decisions: 3, tokens: 500 }, yesNo()),
  "a cooldown": () => cooldown(2, yesNo()),
  "every other chunk": () => every(2, prompted()),
  "named, several": () => policyNamed("pattern:/a+b/+own:0.9+random:0.1"),
};

for (const [name, make] of Object.entries(policies)) policySuite(name, { make });
policySuite("finetuned on a prompt of its own", {
  make: ({ model }) => finetuned(model, { prompt: ({ text }) => [{ role: "user", content: text }] }),
  ownPrompt: true,
});
