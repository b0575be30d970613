// Who spoke when, and where each step was picked up, as lanes of text.

import type { HeardStep, Timeline, TimelineAgent, TimelineTurn } from "../core/timeline.ts";
import { clip, pad, printable, width } from "./printable.ts";

/** How a terminal or file shows text. */
export type Look = {
  /** Columns a line may take. */
  readonly columns: number;
  readonly color: boolean;
  /** Whether more than ASCII can be shown; default true. */
  readonly unicode?: boolean | undefined;
};

const symbols = {
  unicode: { held: "·", thinking: "░", speaking: "█", heard: "↑", cut: "╳", broken: "!", ellipsis: "…" },
  ascii: { held: "~", thinking: ".", speaking: "#", heard: "^", cut: "x", broken: "!", ellipsis: "." },
};
type Symbols = typeof symbols.unicode;

const hues = [36, 33, 35, 32, 34, 31];
const dim = "2";

type Cell = { readonly text: string; readonly style: string };
/** `from` and `to`: the first and the last cell of a span of time. */
type Scale = { readonly cells: number; readonly from: (at: number) => number; readonly to: (at: number) => number };

/**
 * A line of time, then for each agent a lane of its speech (a number where a step ends) and, where it heard somebody, a lane
 * of the steps it picked up; then what the marks mean. Numbers of steps count from 1. No line is wider than `columns`.
 */
export function renderTimeline(timeline: Timeline, { columns, color, unicode = true }: Look): string[] {
  const signs = unicode ? symbols.unicode : symbols.ascii;
  const names = timeline.agents.map(({ agent }) => nameOf(agent, unicode));
  const longest = Math.max(2, Math.floor(columns / 5));
  const gutter = Math.min(longest, Math.max(0, ...names.map((name) => width(name)))) + 1;
  const scale = scaleOf(timeline.wallMs, Math.max(8, columns - gutter));
  const paint = (row: readonly (Cell | undefined)[]) => lineOf(row, color);
  const lines = [" ".repeat(gutter) + paint(axis(timeline.wallMs, scale))];
  for (const [index, agent] of timeline.agents.entries()) {
    const hue = String(hues[index % hues.length]);
    const name = pad(clip(names[index] ?? "", gutter - 1, signs.ellipsis), gutter);
    lines.push(name + paint(speech(agent, { scale, signs, hue })));
    const heard = hearing(agent, { scale, signs, hue: dim });
    if (heard.length > 0) lines.push(" ".repeat(gutter) + paint(heard));
  }
  return [...lines, ...legend(timeline, signs, columns)].map((line) => line.trimEnd());
}

const nameOf = (id: string, unicode: boolean): string => {
  const name = printable(id);
  return unicode ? name : name.replaceAll(/[^ -~]/gu, "?");
};

function scaleOf(wallMs: number, cells: number): Scale {
  const inside = (cell: number) => Math.max(0, Math.min(cells - 1, cell));
  return {
    cells,
    from: (at) => (wallMs === 0 ? 0 : inside(Math.floor((at * cells) / wallMs))),
    to: (at) => (wallMs === 0 ? 0 : inside(Math.ceil((at * cells) / wallMs) - 1)),
  };
}

/** Ticks at round times, at least ten cells apart. */
function axis(wallMs: number, { cells, from }: Scale): (Cell | undefined)[] {
  const row: (Cell | undefined)[] = [];
  const least = (wallMs * 10) / cells;
  const decade = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  const tick = [1, 2, 5, 10].map((step) => step * decade).find((step) => step >= least) ?? decade;
  const label = (at: number) => (tick < 1000 && wallMs < 10_000 ? `${at} ms` : `${Number((at / 1000).toFixed(1))} s`);
  for (let at = 0; at === 0 || at < wallMs; at += tick) {
    const text = label(at);
    if (from(at) + text.length <= cells) write(row, text, { at: from(at), style: dim });
  }
  return row;
}

type Drawing = { readonly scale: Scale; readonly signs: Symbols; readonly hue: string };

function speech(agent: TimelineAgent, { scale, signs, hue }: Drawing): (Cell | undefined)[] {
  const row: (Cell | undefined)[] = [];
  const taken = new Set<number>();
  for (const turn of agent.turns) {
    const end = turn.end ?? turn.start + turn.waitedMs + turn.workedMs;
    const said = turn.firstChunk ?? end;
    const last = Math.max(scale.from(turn.start), scale.to(end));
    for (let cell = scale.from(turn.start); cell <= last; cell++) {
      const speaking = turn.firstChunk !== undefined && cell >= scale.from(said);
      const held = cell < scale.from(Math.min(said, turn.start + turn.waitedMs));
      const text = speaking ? signs.speaking : held ? signs.held : signs.thinking;
      row[cell] = { text, style: speaking ? hue : dim };
    }
    const mark = markOf(turn, signs);
    if (mark === undefined) continue;
    row[last] = { text: mark, style: "1;31" };
    taken.add(last);
  }
  let free = 0;
  for (const { index, at } of agent.steps) {
    const label = String(index + 1);
    const start = scale.to(at) - label.length + 1;
    // A cell of speech between two numbers, or they would read as one.
    if (start <= free || label.split("").some((_, offset) => taken.has(start + offset))) continue;
    write(row, label, { at: start, style: `7;${hue}` });
    free = start + label.length;
  }
  if (agent.turns.length === 0 && agent.end !== undefined) write(row, `(${agent.end.reason})`, { at: 0, style: dim });
  return row.slice(0, scale.cells);
}

function markOf({ reason }: TimelineTurn, signs: Symbols): string | undefined {
  if (reason === "interrupted") return signs.cut;
  return reason === "failed" || reason === "truncated" || reason === "cancelled" ? signs.broken : undefined;
}

function hearing(agent: TimelineAgent, { scale, signs, hue }: Drawing): (Cell | undefined)[] {
  const row: (Cell | undefined)[] = [];
  const turns = agent.turns.filter(({ heard }) => heard.length > 0);
  const several = new Set(turns.flatMap(({ heard }) => heard.map(({ speaker }) => speaker))).size > 1;
  const ascii = signs === symbols.ascii;
  let free = 0;
  for (const [position, turn] of turns.entries()) {
    const at = scale.from(turn.start);
    if (at < free) continue;
    const next = turns[position + 1];
    const room = (next === undefined ? scale.cells : scale.from(next.start) - 1) - at;
    const label = labelsOf(turn.heard, several, !ascii).find((text) => 1 + width(text) <= room) ?? "";
    write(row, signs.heard + label, { at, style: hue });
    free = at + 1 + width(label);
  }
  return row;
}

/** From the most telling to the shortest: `A1-3,B1-3`, or `1-3` where that is what was heard of every speaker. */
function labelsOf(heard: readonly HeardStep[], several: boolean, unicode: boolean): string[] {
  const ranges: { speaker: string; first: number; last: number }[] = [];
  for (const { speaker, index } of heard) {
    const range = ranges.find((one) => one.speaker === speaker && one.last + 1 === index);
    if (range === undefined) ranges.push({ speaker, first: index, last: index });
    else range.last = index;
  }
  const steps = ranges.map(({ first, last }) => (first === last ? `${first + 1}` : `${first + 1}-${last + 1}`));
  const speakers = new Set(ranges.map(({ speaker }) => speaker)).size;
  if (!several) return [steps.join(",")];
  const named = ranges.map(({ speaker }, index) => `${nameOf(speaker, unicode)}${steps[index]}`).join(",");
  const same = speakers === ranges.length && new Set(steps).size === 1;
  return same && speakers > 1 ? [named, ...new Set(steps)] : [named];
}

/** Explains the marks that there are, in as many lines as it takes. */
function legend({ agents }: Timeline, signs: Symbols, columns: number): string[] {
  const turns = agents.flatMap((agent) => agent.turns);
  const marks = turns.map((turn) => markOf(turn, signs));
  const items = [
    [turns.some(({ waitedMs }) => waitedMs > 0), `${signs.held} held back`],
    [turns.length > 0, `${signs.thinking} before the first word`],
    [turns.some(({ chunks }) => chunks > 0), `${signs.speaking} speaking`],
    [agents.some(({ steps }) => steps.length > 0), "1 step 1 ends"],
    [turns.some(({ heard }) => heard.length > 0), `${signs.heard}1 hears step 1`],
    [marks.includes(signs.cut), `${signs.cut} interrupted`],
    [marks.includes(signs.broken), `${signs.broken} broke off`],
  ] as const;
  const lines: string[] = [];
  for (const [there, text] of items) {
    if (!there) continue;
    const line = lines.at(-1);
    if (line !== undefined && width(line) + 3 + text.length <= columns) lines[lines.length - 1] = `${line}   ${text}`;
    else lines.push(clip(text, columns, signs.ellipsis));
  }
  return lines;
}

/** Puts each character in a cell of its own; a wide one takes the next cell too. */
function write(row: (Cell | undefined)[], text: string, { at, style }: { at: number; style: string }): void {
  let cell = at;
  for (const character of text) {
    const columns = width(character);
    if (columns === 0) {
      const before = row[cell - 1];
      if (before !== undefined) row[cell - 1] = { text: before.text + character, style };
      continue;
    }
    row[cell] = { text: character, style };
    if (columns === 2) row[cell + 1] = { text: "", style };
    cell += columns;
  }
}

function lineOf(row: readonly (Cell | undefined)[], color: boolean): string {
  let line = "";
  let style = "";
  for (let index = 0; index < row.length; index++) {
    const cell = row[index] ?? { text: " ", style: "" };
    if (color && cell.style !== style) {
      line += `${style === "" ? "" : "\u001b[0m"}${cell.style === "" ? "" : `\u001b[${cell.style}m`}`;
      style = cell.style;
    }
    line += cell.text;
  }
  return color && style !== "" ? `${line}\u001b[0m` : line;
}
