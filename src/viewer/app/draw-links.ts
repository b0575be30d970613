// From where a step was complete to where each listener picked it up.

import type { TimelineStep } from "../../core/timeline.ts";
import type { Drawing } from "./draw.ts";
import type { Row } from "./layout.ts";

type Link = { readonly from: Row; readonly to: Row; readonly said: number; readonly heard: number; strong: boolean };

/** Nearer to one another than so many pixels, lines say no more than one does. */
const apart = 6;

/** Lines for all pick-ups in view; of many that would lie on one another, one. */
export function drawPickUps(drawing: Drawing): void {
  const { scene, layout, agent } = drawing;
  const rows = new Map(scene.timeline.agents.map(({ agent: id }, index) => [id, layout.rows[index]]));
  const drawn = new Set<string>();
  const weak: Link[] = [];
  const strong: Link[] = [];
  for (const speaker of scene.timeline.agents) {
    const from = rows.get(speaker.agent);
    if (from === undefined) continue;
    for (const step of speaker.steps)
      for (const link of linksOf(drawing, step, { from, rows, drawn }))
        (agent !== undefined && (speaker.agent === agent || rows.get(agent) === link.to) ? strong : weak).push(link);
  }
  const faint = agent === undefined ? 1 : 0.35;
  for (const link of weak) drawLink(drawing, link, faint);
  for (const link of strong) drawLink(drawing, { ...link, strong: true }, 1);
}

type Known = {
  readonly from: Row;
  readonly rows: ReadonlyMap<string, Row | undefined>;
  readonly drawn: Set<string>;
};

function linksOf({ scale }: Drawing, step: TimelineStep, { from, rows, drawn }: Known): Link[] {
  const links: Link[] = [];
  if (step.at > scale.range.to) return links;
  for (const { listener, at } of step.pickedUp) {
    const to = rows.get(listener);
    if (to === undefined || at < scale.range.from) continue;
    const key = `${from.top} ${to.top} ${Math.round(scale.x(step.at) / apart)} ${Math.round(scale.x(at) / apart)}`;
    if (drawn.has(key)) continue;
    drawn.add(key);
    links.push({ from, to, said: step.at, heard: at, strong: false });
  }
  return links;
}

function drawLink({ context, scale, palette }: Drawing, { from, to, said, heard, strong }: Link, alpha: number): void {
  const down = to.top > from.top;
  const [x0, x1] = [scale.x(said), scale.x(heard)];
  const y0 = down ? from.top + from.height : from.top;
  const y1 = down ? to.top : to.top + to.height;
  const bend = (y1 - y0) * 0.5;
  context.globalAlpha = alpha;
  context.strokeStyle = strong ? palette.ink : palette.pickUp;
  context.fillStyle = context.strokeStyle;
  context.lineWidth = strong ? 1.5 : 1;
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
  context.stroke();
  context.beginPath();
  context.arc(x0, y0, 2, 0, Math.PI * 2);
  const tip = down ? 4 : -4;
  context.moveTo(x1 - 3, y1 - tip);
  context.lineTo(x1 + 3, y1 - tip);
  context.lineTo(x1, y1 + tip / 2);
  context.fill();
  context.globalAlpha = 1;
  context.lineWidth = 1;
}

/** From the lane of whoever raised a hand to the lane that was cut. */
export function drawHands({ context, scale, palette, scene, layout }: Drawing): void {
  const rows = new Map(scene.timeline.agents.map(({ agent }, index) => [agent, layout.rows[index]]));
  context.strokeStyle = palette.cut;
  for (const { agent, interrupts } of scene.timeline.agents)
    for (const { at, by } of interrupts) {
      const [cut, hand] = [rows.get(agent), rows.get(by)];
      const x = Math.round(scale.x(at));
      if (cut === undefined || hand === undefined || cut === hand || x < 0 || x > scale.width) continue;
      const up = hand.top > cut.top;
      context.setLineDash([3, 2]);
      context.beginPath();
      context.moveTo(x, up ? hand.strip.top : hand.top);
      context.lineTo(x, up ? cut.top + cut.height + 3 : cut.top - 3);
      context.stroke();
    }
  context.setLineDash([]);
}
