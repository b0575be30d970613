// Made by runs/learn/ship.mjs; do not edit.

import type { Head } from "../head.ts";

export const heads: readonly Head[] = [];
