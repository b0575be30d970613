// A listener's decisions: how likely it held it that cutting in is right.

import type { DecisionEvent } from "../../core/types.ts";
import { upTo } from "../moment.ts";
import type { Drawing } from "./draw.ts";
import type { Row } from "./layout.ts";

/** From 0 (wait) to 1 (cut in): the probability, or the advantage bent into that range. */
export const inclination = ({ probability, advantage }: DecisionEvent): number =>
  probability === undefined ? 1 / (1 + Math.exp(-4 * advantage)) : Math.max(0, Math.min(1, probability));

/** A bar for each decision, or the highest of those that share a place. */
export function drawDecisions(drawing: Drawing, decisions: readonly DecisionEvent[], strip: Row["strip"]): void {
  const { context, scale, palette } = drawing;
  const bottom = strip.top + strip.height;
  const first = upTo(decisions, scale.range.from - 1e-9);
  const last = upTo(decisions, scale.range.to);
  const width = Math.max(2, Math.min(7, (scale.width / Math.max(1, last - first)) * 0.6));
  context.fillStyle = palette.line;
  context.fillRect(0, bottom, scale.width, 1);
  let bar: { x: number; best: DecisionEvent } | undefined;
  const flush = () => {
    if (bar !== undefined) drawBar(drawing, bar.best, { x: bar.x, width, strip });
  };
  for (let index = first; index < last; index++) {
    const decision = decisions[index];
    if (decision === undefined) break;
    const x = scale.x(decision.at);
    if (bar !== undefined && x - bar.x < width) {
      if (weight(decision) > weight(bar.best)) bar = { x: bar.x, best: decision };
      continue;
    }
    flush();
    bar = { x, best: decision };
  }
  flush();
}

const weight = (decision: DecisionEvent): number => inclination(decision) + (decision.outcome === "interrupt" ? 2 : 0);

type Bar = { readonly x: number; readonly width: number; readonly strip: Row["strip"] };

function drawBar({ context, palette }: Drawing, decision: DecisionEvent, { x, width, strip }: Bar): void {
  const bottom = strip.top + strip.height;
  const height = Math.max(1.5, inclination(decision) * strip.height);
  const left = x - width / 2;
  const { outcome } = decision;
  if (outcome === "timeout" || outcome === "failed") {
    context.strokeStyle = palette.quiet;
    context.beginPath();
    context.moveTo(left, bottom - width - 1);
    context.lineTo(left + width, bottom - 1);
    context.moveTo(left, bottom - 1);
    context.lineTo(left + width, bottom - width - 1);
    context.stroke();
    return;
  }
  context.fillStyle = outcome === "interrupt" ? palette.cut : palette.quiet;
  context.strokeStyle = palette.quiet;
  if (outcome === "late") context.strokeRect(left + 0.5, bottom - height + 0.5, width - 1, height - 1);
  else context.fillRect(left, bottom - height, width, height);
}
