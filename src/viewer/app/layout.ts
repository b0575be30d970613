// Where things stand in the drawing of one run, in CSS pixels.

import type { Scene } from "../scene.ts";
import type { Range } from "./state.ts";

/** A band over the whole width. */
export type Strip = { readonly top: number; readonly height: number };

export type Row = {
  readonly top: number;
  readonly height: number;
  /** Where the agent's decisions stand; no height where it made none. */
  readonly strip: Strip;
};

/** `growth`: where what was taken stands. */
export type Layout = { readonly rows: readonly Row[]; readonly growth: Strip; readonly height: number };

/** Lanes as high as their number allows. */
export function layoutOf({ lanes }: Scene): Layout {
  const height = Math.max(14, Math.min(34, Math.floor(440 / Math.max(1, lanes.length)) - 16));
  const gap = Math.max(6, Math.round(height * 0.62));
  const rows: Row[] = [];
  let top = Math.round(gap / 2);
  for (const { decisions } of lanes) {
    const strip = decisions.length > 0 ? Math.max(10, Math.round(height * 0.7)) : 0;
    rows.push({ top, height, strip: { top: top + height + 3, height: strip } });
    top += height + (strip > 0 ? strip + 3 : 0) + gap;
  }
  const growth = { top, height: 24 };
  return { rows, growth, height: top + growth.height + 8 };
}

/** Time to pixels. */
export type Scale = { readonly width: number; readonly range: Range; readonly x: (at: number) => number };

export function scaleOf(width: number, range: Range): Scale {
  const perMs = width / Math.max(1e-9, range.to - range.from);
  return { width, range, x: (at) => (at - range.from) * perMs };
}

/** Round times for an axis, at least `apart` pixels from one another. */
export function ticks({ width, range }: Scale, apart: number): readonly number[] {
  const least = ((range.to - range.from) * apart) / Math.max(1, width);
  const decade = 10 ** Math.floor(Math.log10(Math.max(least, 1e-3)));
  const step = [1, 2, 5, 10].map((factor) => factor * decade).find((candidate) => candidate >= least) ?? least;
  const found: number[] = [];
  for (let index = Math.ceil(range.from / step); index * step <= range.to; index++) found.push(index * step);
  return found;
}
