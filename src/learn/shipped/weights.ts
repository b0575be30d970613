// Made by runs/learn/ship.mjs; do not edit.

import type { ShippedWeights } from "../shipped.ts";

export const weights: readonly ShippedWeights[] = [];
