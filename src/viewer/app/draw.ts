// A run on a canvas: everything but the cursor, which moves without a new drawing.

import type { Grown } from "../moment.ts";
import type { Scene } from "../scene.ts";
import { drawDecisions } from "./draw-decisions.ts";
import { drawGrowth } from "./draw-growth.ts";
import { drawLane } from "./draw-lane.ts";
import { drawHands, drawPickUps } from "./draw-links.ts";
import { ticks } from "./layout.ts";
import type { Layout, Scale } from "./layout.ts";
import type { Palette } from "./palette.ts";

export type Drawing = {
  readonly context: CanvasRenderingContext2D;
  readonly scale: Scale;
  readonly palette: Palette;
  readonly scene: Scene;
  readonly layout: Layout;
  /** Its links stand out. */
  readonly agent: string | undefined;
  readonly grown: Grown;
  /** What the full height of the growth stands for. */
  readonly most: number;
};

/** Draws one run. */
export function draw(drawing: Drawing): void {
  const { context, scale, palette, scene, layout } = drawing;
  context.clearRect(0, 0, scale.width, layout.height);
  context.fillStyle = palette.line;
  for (const at of ticks(scale, 90)) context.fillRect(Math.round(scale.x(at)), 0, 1, layout.height);
  for (const row of layout.rows) context.fillRect(0, row.top + row.height, scale.width, 1);
  const { wallMs } = scene.timeline;
  const rate = usualRate(scene);
  for (const [index, lane] of scene.lanes.entries()) {
    const agent = scene.timeline.agents[index];
    const row = layout.rows[index];
    if (agent === undefined || row === undefined) continue;
    drawLane(drawing, { agent, lane, row, wallMs, rate });
    if (lane.decisions.length > 0) drawDecisions(drawing, lane.decisions, row.strip);
  }
  drawPickUps(drawing);
  drawHands(drawing);
  drawGrowth(drawing, drawing.grown, { strip: layout.growth, most: drawing.most });
}

/** Tokens per millisecond that fill a lane: the fastest agent's mean. */
function usualRate({ timeline, lanes }: Scene): number {
  let best = 0;
  for (const [index, { turns }] of timeline.agents.entries()) {
    let spoken = 0;
    for (const { firstChunk, end } of turns)
      if (firstChunk !== undefined) spoken += (end ?? timeline.wallMs) - firstChunk;
    const said = lanes[index]?.chunkSum.at(-1) ?? 0;
    if (spoken > 0) best = Math.max(best, said / spoken);
  }
  return best;
}
