// Made by runs/learn/ship.mjs; do not edit.

import type { ShippedWeights } from "../shipped.ts";

export const weights: readonly ShippedWeights[] = [
  {
    model: "qwen2.5-coder-0.5b",
    family: "report",
    weights: {
      schema: "duplex.calibrated/1",
      features: ["probability", "margin", "entropy", "top1", "mass", "stability", "chunks", "tokens"],
      mean: [
        0.3425558022892794, 0.3477741879674053, 0.5679509284111426, 0.6679341624804849, 0.5350981327005015,
        3.319838056680164, 4.627530364372471, 74.10121457489879,
      ],
      scale: [
        0.3896250016208265, 0.39556559431229166, 0.4892375097326053, 0.21176000686053578, 0.3307583121725325,
        2.025877920875929, 2.3788310618322446, 38.0681505670243,
      ],
      weights: [
        0.8659342735438176, 1.4633048035782208, -0.47430968997179146, -0.3927546665076093, -0.4498541698796984,
        -0.9026511414043776, 1.075385051334322, 1.1181304127682825,
      ],
      bias: 1.7656160009962603,
      threshold: 0.9283028296737403,
      provenance: {
        task: "report:facts=15,choices=8",
        rule: "conservative",
        sampling: {
          duplex: "0.1.0",
          speaker: "template",
          listener: "llama:qwen2.5-coder-0.5b",
          seed: 1,
          chunk: 16,
          depth: 0,
          branches: 3,
          chance: 0.2,
          scheme: "adaptive",
          temperature: 0,
          maxTokens: 256,
          rollouts: 10,
          nodes: "all",
          features: "probability,margin,entropy,top1,mass,stability,chunks,tokens",
          answers: "choose",
        },
        points: 247,
        positive: 152,
        samples: 30,
        penalty: 0.003,
        auc: 0.9104570637119114,
        brier: 0.11343773063209987,
        ece: 0.060181575339415955,
        pays: true,
        success: {
          full: 0.9,
          cut: 0.9,
        },
        saved: 0.3074316693020104,
      },
      looks: {
        first: 0,
        next: [],
      },
    },
  },
];
