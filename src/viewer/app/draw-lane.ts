// One agent's lane: held back, thinking, speaking, cut.

import type { TimelineAgent, TimelineStep, TimelineTurn } from "../../core/timeline.ts";
import { countUpTo, timesUpTo } from "../moment.ts";
import type { Lane } from "../scene.ts";
import type { Drawing } from "./draw.ts";
import type { Row } from "./layout.ts";

export type Subject = {
  readonly agent: TimelineAgent;
  readonly lane: Lane;
  readonly row: Row;
  readonly wallMs: number;
  /** Tokens per millisecond of a full lane. */
  readonly rate: number;
};

export function drawLane(drawing: Drawing, subject: Subject): void {
  const { agent, wallMs } = subject;
  const { range } = drawing.scale;
  const { turns } = agent;
  const first = Math.max(0, countUpTo(turns.length, (index) => turns[index]?.start ?? 0, range.from) - 1);
  for (let index = first; index < turns.length; index++) {
    const turn = turns[index];
    if (turn === undefined || turn.start > range.to) break;
    const limit = turns[index + 1]?.start ?? Math.max(wallMs, range.to);
    drawTurn(drawing, subject, { turn, limit });
  }
  drawSteps(drawing, subject);
  drawCuts(drawing, subject);
}

/** `limit`: where the next turn begins. */
type Place = { readonly turn: TimelineTurn; readonly limit: number };

function drawTurn(drawing: Drawing, subject: Subject, { turn, limit }: Place): void {
  const { context, scale, palette } = drawing;
  const { row, wallMs } = subject;
  const end = turn.end ?? wallMs;
  const worksFrom = turn.start + turn.waitedMs;
  const bottom = row.top + row.height;
  if (turn.waitedMs > 0) {
    context.strokeStyle = palette.quiet;
    context.setLineDash([2, 3]);
    context.beginPath();
    context.moveTo(scale.x(turn.start), bottom - 3.5);
    context.lineTo(scale.x(Math.min(worksFrom, end)), bottom - 3.5);
    context.stroke();
    context.setLineDash([]);
  }
  const speaks = turn.firstChunk ?? end;
  const height = Math.max(4, Math.round(row.height * 0.28));
  const from = scale.x(worksFrom);
  context.fillStyle = palette.thinking;
  context.fillRect(from, bottom - height, Math.max(1, scale.x(speaks) - from), height);
  if (turn.firstChunk !== undefined) drawSpeech(drawing, subject, { from: turn.firstChunk, to: end });
  if (turn.overrunTokens > 0) drawUnsaid(drawing, subject, { turn, limit });
}

type Span = { readonly from: number; readonly to: number };

/** Speech as high as it is fast; single chunks where there is room for them. */
function drawSpeech(drawing: Drawing, subject: Subject, span: Span): void {
  const { scale, palette, context } = drawing;
  const { lane, row, agent, rate } = subject;
  const left = Math.max(0, Math.floor(scale.x(span.from)));
  const right = Math.min(scale.width, Math.max(left + 1, Math.ceil(scale.x(span.to))));
  if (right <= left) return;
  const bounds = { ...span, left, right, perPixel: (scale.range.to - scale.range.from) / scale.width };
  const shade = stepShade(agent.steps);
  const bar: Bar = (x, width, [speed, at]) => {
    const height = Math.max(2, Math.round(row.height * Math.min(1, speed / rate)));
    context.fillStyle = shade(at) ? palette.speech : palette.speechNext;
    context.fillRect(x, row.top + row.height - height, width, height);
  };
  const first = timesUpTo(lane.chunkAt, Math.max(span.from, scale.range.from) - 1e-9);
  const last = timesUpTo(lane.chunkAt, Math.min(span.to, scale.range.to));
  if (last - first <= (right - left) / 6) eachChunk(drawing, lane, { ...bounds, first, last, bar });
  else eachColumn(drawing, subject, { ...bounds, first, last, bar });
}

type Bar = (x: number, width: number, speed: readonly [speed: number, at: number]) => void;
type Stretch = Span & {
  readonly left: number;
  readonly right: number;
  readonly perPixel: number;
  readonly first: number;
  readonly last: number;
  readonly bar: Bar;
};

/** A chunk takes the time since the one before it. */
function eachChunk(
  { scale }: Drawing,
  { chunkAt, chunkSum }: Lane,
  { from, perPixel, first, last, bar }: Stretch,
): void {
  let before = first > 0 ? Math.max(from, chunkAt[first - 1] ?? from) : from;
  for (let index = first; index < last; index++) {
    const at = chunkAt[index] ?? 0;
    const tokens = (chunkSum[index] ?? 0) - (chunkSum[index - 1] ?? 0);
    const x = scale.x(before);
    bar(x, Math.max(1, scale.x(at) - x - 0.75), [tokens / Math.max(at - before, perPixel * 2), at]);
    before = at;
  }
}

/** Each column shows how fast was spoken in it. */
function eachColumn({ scale }: Drawing, { lane }: Subject, stretch: Stretch): void {
  const { from, left, right, perPixel, bar, last } = stretch;
  const to = Math.min(stretch.to, lane.chunkAt[last - 1] ?? stretch.to);
  const timeAt = (x: number) => Math.max(from, Math.min(to, scale.range.from + x * perPixel));
  for (let x = left; x < right && scale.range.from + (x + 0.5) * perPixel <= to; x++) {
    const [begin, end] = [timeAt(x - 3), timeAt(x + 4)];
    const said = saidBy(lane, end, to) - saidBy(lane, begin, to);
    if (said > 0 && end > begin) bar(x, 1, [said / (end - begin), timeAt(x + 0.5)]);
  }
}

const sumUpTo = ({ chunkAt, chunkSum }: Lane, at: number): number => chunkSum[timesUpTo(chunkAt, at) - 1] ?? 0;

/** Tokens said by a moment of a turn that ends at `end`; a chunk was under way since the one before it. */
function saidBy({ chunkAt, chunkSum }: Lane, at: number, end: number): number {
  const next = timesUpTo(chunkAt, at);
  const sum = chunkSum[next - 1] ?? 0;
  const until = chunkAt[next];
  if (next === 0 || until === undefined || until > end) return sum;
  const since = chunkAt[next - 1] ?? 0;
  return sum + ((chunkSum[next] ?? sum) - sum) * ((at - since) / (until - since));
}

/** Neighbouring steps have two shades. */
function stepShade(steps: readonly TimelineStep[]): (at: number) => boolean {
  return (at) => countUpTo(steps.length, (index) => steps[index]?.at ?? 0, at - 1e-9) % 2 === 0;
}

/** What was made past the cut and never said, as long as it took to make at the turn's own pace. */
function drawUnsaid(drawing: Drawing, { lane, agent, row }: Subject, { turn, limit }: Place): void {
  const { context, scale, palette } = drawing;
  const cut = agent.interrupts.find((event) => event.turn === turn.turn)?.at ?? turn.end ?? turn.start;
  const begun = turn.firstChunk ?? turn.start;
  const said = sumUpTo(lane, cut) - sumUpTo(lane, begun - 1e-9);
  const pace = said > 0 && cut > begun ? said / (cut - begun) : 0;
  const length = pace > 0 ? turn.overrunTokens / pace : (turn.end ?? cut) - cut;
  const x = scale.x(cut) + 1.5;
  const width = Math.max(3, Math.min(scale.x(Math.min(limit, cut + length)), scale.width) - x);
  context.save();
  context.beginPath();
  context.rect(x, row.top, width, row.height);
  context.clip();
  context.strokeStyle = palette.unsaid;
  context.lineWidth = 1.25;
  context.beginPath();
  for (let offset = -row.height; offset < width; offset += 5) {
    context.moveTo(x + offset, row.top + row.height);
    context.lineTo(x + offset + row.height, row.top);
  }
  context.stroke();
  context.strokeRect(x + 0.5, row.top + 0.5, width - 1, row.height - 1);
  context.restore();
}

function drawSteps({ context, scale, palette }: Drawing, { agent: { steps, turns }, lane, row }: Subject): void {
  const first = countUpTo(steps.length, (index) => steps[index]?.at ?? 0, scale.range.from - 1e-9);
  let last = Number.NEGATIVE_INFINITY;
  context.font = `600 10px ${getComputedStyle(context.canvas).fontFamily}`;
  context.textAlign = "right";
  context.textBaseline = "top";
  for (let index = first; index < steps.length; index++) {
    const step = steps[index];
    if (step === undefined || step.at > scale.range.to) break;
    const x = scale.x(step.at);
    last = Math.max(last, scale.x(turns[step.turn]?.firstChunk ?? step.at));
    if (x - last < 4) continue;
    context.fillStyle = palette.paper;
    context.fillRect(Math.round(x) - 1, row.top, 1, row.height);
    // The number stands in the words, which end before their delimiter does.
    const end = scale.x(lane.chunkAt[timesUpTo(lane.chunkAt, step.at) - 1] ?? step.at);
    if (end - last >= 18 && row.height >= 22) context.fillText(String(step.index + 1), end - 4, row.top + 6);
    last = x;
  }
}

function drawCuts({ context, scale, palette }: Drawing, { agent, row }: Subject): void {
  for (const { at } of agent.interrupts) {
    const x = Math.round(scale.x(at));
    if (x < -8 || x > scale.width + 8) continue;
    context.fillStyle = palette.cut;
    context.fillRect(x - 1, row.top - 3, 2, row.height + 6);
    context.beginPath();
    context.arc(x, row.top - 4, 3.5, 0, Math.PI * 2);
    context.fill();
  }
}
