// What was taken, as a line that only goes up; the runs that are shown have one measure.

import type { Grown } from "../moment.ts";
import type { Drawing } from "./draw.ts";
import type { Strip } from "./layout.ts";

export function drawGrowth({ context, scale, palette, scene }: Drawing, grown: Grown, { strip, most }: Measure): void {
  const bottom = strip.top + strip.height;
  const y = (amount: number) => bottom - (most > 0 ? (amount / most) * (strip.height - 2) : 0);
  context.fillStyle = palette.line;
  context.fillRect(0, bottom, scale.width, 1);
  context.beginPath();
  context.moveTo(scale.x(0), y(0));
  let last = { x: Number.NEGATIVE_INFINITY, amount: 0 };
  for (const { at, amount } of grown.points) {
    const x = scale.x(at);
    // Between two pixels only the last step shows.
    if (x - last.x >= 0.5) {
      context.lineTo(x, y(last.amount));
      context.lineTo(x, y(amount));
      last = { x, amount };
    } else last = { x: last.x, amount };
  }
  const end = scale.x(scene.timeline.wallMs);
  context.lineTo(end, y(last.amount));
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.25;
  context.stroke();
  context.lineTo(end, bottom);
  context.lineTo(scale.x(0), bottom);
  context.fillStyle = palette.ink;
  context.globalAlpha = 0.07;
  context.fill();
  context.globalAlpha = 1;
  context.lineWidth = 1;
}

/** `most`: what the full height stands for. */
export type Measure = { readonly strip: Strip; readonly most: number };
