// What several agents say at once, as rows: side by side where there is room, else a line each under their names.

import { Flow } from "./flow.ts";
import type { FlowLine } from "./flow.ts";
import { clip, pad, printable, width } from "./printable.ts";
import type { Look } from "./timeline.ts";

/** A line in an agent's lane; a note is about the agent and not said by it. */
type Line = FlowLine & { readonly note?: boolean };

/** Where words go as they come. Agents are meant by their position. */
export interface Lanes {
  /** Rows above everything, once. */
  head(): readonly string[];
  say(agent: number, text: string): void;
  /** A remark in the agent's lane, in a line of its own. */
  note(agent: number, text: string): void;
  /** Ends the agent's line; the next one gets this mark. */
  step(agent: number, mark: string): void;
  /** Rows that will not change any more, each given once; all of them when `last`. */
  final(last?: boolean): readonly string[];
  /** Rows that still change. */
  open(): readonly string[];
}

const hues = [36, 33, 35, 32, 34, 31];
const markColumns = 3;
const leastColumns = 34;
/** So many rows may wait for a slow speaker before its line is cut. */
const mostOpen = 6;

const painter =
  ({ color }: Look) =>
  (text: string, style: string): string =>
    color && text.trim() !== "" ? `\u001b[${style}m${text}\u001b[0m` : text;

const hueOf = (agent: number): string => String(hues[agent % hues.length]);

const shownOn = ({ unicode }: Look, text: string): string =>
  unicode === false ? text.replaceAll(/[^ -~]/gu, "?") : text;

const nameOf = (id: string, look: Look): string => shownOn(look, printable(id));

function cellOf(line: Line, { agent, look }: { agent: number; look: Look }): string {
  const paint = painter(look);
  const mark = pad(line.mark, markColumns);
  const text = shownOn(look, line.text);
  return paint(mark, `1;${hueOf(agent)}`) + (line.note === true ? paint(text, "2") : text);
}

/** Lanes for these agents on this terminal. */
export function lanesFor(ids: readonly string[], look: Look): Lanes {
  const separators = 3 * (ids.length - 1);
  const room = Math.floor((look.columns - 1 - separators) / ids.length);
  return room >= leastColumns ? new Columns(ids, room, look) : new Prefixed(ids, look);
}

/** Each agent's lines under its name, as they are finished. */
class Prefixed implements Lanes {
  readonly #names: readonly string[];
  readonly #look: Look;
  readonly #flows: readonly Flow[];
  readonly #gutter: number;
  #final: string[] = [];

  constructor(ids: readonly string[], look: Look) {
    this.#look = look;
    this.#names = ids.map((id) => nameOf(id, look));
    this.#gutter = Math.min(Math.max(...this.#names.map(width)), Math.max(4, Math.floor(look.columns / 5)));
    this.#flows = ids.map(() => new Flow(look.columns - 1 - this.#gutter - 1 - markColumns));
  }

  head(): readonly string[] {
    return [];
  }

  say(agent: number, text: string): void {
    this.#add(agent, this.#flows[agent]?.push(text) ?? []);
  }

  note(agent: number, text: string): void {
    this.#add(agent, this.#flows[agent]?.end() ?? []);
    const room = this.#look.columns - 1 - this.#gutter - 1 - markColumns;
    this.#add(agent, [{ mark: "", text: clip(text, room), note: true }]);
  }

  step(agent: number, mark: string): void {
    this.#add(agent, this.#flows[agent]?.end() ?? []);
    this.#flows[agent]?.mark(mark);
  }

  final(last = false): readonly string[] {
    if (last) for (const [agent, flow] of this.#flows.entries()) this.#add(agent, flow.end());
    const rows = this.#final;
    this.#final = [];
    return rows;
  }

  open(): readonly string[] {
    return this.#flows.flatMap(({ open }, agent) => (open === undefined ? [] : [this.#row(agent, open)]));
  }

  #add(agent: number, lines: readonly Line[]): void {
    for (const line of lines) this.#final.push(this.#row(agent, line));
  }

  #row(agent: number, line: Line): string {
    const ellipsis = this.#look.unicode === false ? "." : "…";
    const name = pad(clip(this.#names[agent] ?? "", this.#gutter, ellipsis), this.#gutter);
    return `${painter(this.#look)(name, hueOf(agent))} ${cellOf(line, { agent, look: this.#look })}`.trimEnd();
  }
}

type Lane = {
  readonly flow: Flow;
  /** The row of its open line. */ at: number | undefined;
  /** Its last row. */ last: number;
};

/** A column an agent: what stands in one row was said at about the same time. */
class Columns implements Lanes {
  readonly #ids: readonly string[];
  readonly #room: number;
  readonly #look: Look;
  readonly #lanes: readonly Lane[];
  /** Rows from number `#first` on that have not been given away. */
  #rows: (Line | undefined)[][] = [];
  #first = 0;

  constructor(ids: readonly string[], room: number, look: Look) {
    this.#ids = ids;
    this.#room = room;
    this.#look = look;
    this.#lanes = ids.map(() => ({ flow: new Flow(room - markColumns), at: undefined, last: -1 }));
  }

  head(): readonly string[] {
    const paint = painter(this.#look);
    const names = this.#ids.map((id, agent) => {
      const name = clip(nameOf(id, this.#look), this.#room - markColumns);
      return " ".repeat(markColumns) + paint(pad(name, this.#room - markColumns), `1;${hueOf(agent)}`);
    });
    return [this.#join(names)];
  }

  say(agent: number, text: string): void {
    const lane = this.#lanes[agent];
    if (lane === undefined) return;
    this.#put(agent, lane.flow.push(text));
    const { open } = lane.flow;
    if (open === undefined) return;
    lane.at ??= this.#claim(agent);
    this.#set(agent, lane.at, open);
    this.#hurry();
  }

  note(agent: number, text: string): void {
    this.#put(agent, this.#lanes[agent]?.flow.end() ?? []);
    this.#put(agent, [{ mark: "", text: clip(text, this.#room - markColumns), note: true }]);
  }

  step(agent: number, mark: string): void {
    this.#put(agent, this.#lanes[agent]?.flow.end() ?? []);
    this.#lanes[agent]?.flow.mark(mark);
  }

  final(last = false): readonly string[] {
    if (last) for (const [agent, { flow }] of this.#lanes.entries()) this.#put(agent, flow.end());
    const open = this.#lanes.flatMap(({ at }) => (at === undefined ? [] : [at]));
    // The newest row stays: another agent may speak in it too.
    const end = last ? this.#end : Math.min(...open, this.#end - 1);
    const rows = this.#rows.splice(0, Math.max(0, end - this.#first));
    this.#first += rows.length;
    return rows.map((row) => this.#row(row));
  }

  open(): readonly string[] {
    return this.#rows.map((row) => this.#row(row));
  }

  get #end(): number {
    return this.#first + this.#rows.length;
  }

  /** The row for a new line of this agent: the newest there is, so that rows are in the order of time. */
  #claim(agent: number): number {
    const lane = this.#lanes[agent];
    const row = Math.max((lane?.last ?? -1) + 1, this.#end - 1, this.#first);
    if (lane !== undefined) lane.last = row;
    return row;
  }

  #put(agent: number, lines: readonly Line[]): void {
    const lane = this.#lanes[agent];
    if (lane === undefined) return;
    for (const line of lines) {
      this.#set(agent, lane.at ?? this.#claim(agent), line);
      lane.at = undefined;
    }
    if (lane.flow.open === undefined) lane.at = undefined;
  }

  #set(agent: number, row: number, line: Line): void {
    while (this.#end <= row) this.#rows.push([]);
    const cells = this.#rows[row - this.#first];
    if (cells !== undefined) cells[agent] = line;
  }

  #hurry(): void {
    for (const [agent, lane] of this.#lanes.entries())
      if (lane.at !== undefined && this.#end - lane.at > mostOpen) this.#put(agent, lane.flow.end());
  }

  #row(cells: readonly (Line | undefined)[]): string {
    return this.#join(
      this.#ids.map((_, agent) => {
        const line = cells[agent] ?? { mark: "", text: "" };
        const taken = width(shownOn(this.#look, line.text));
        const space = " ".repeat(Math.max(0, this.#room - markColumns - taken));
        return cellOf(line, { agent, look: this.#look }) + space;
      }),
    );
  }

  #join(cells: readonly string[]): string {
    const bar = painter(this.#look)(this.#look.unicode === false ? "|" : "│", "2");
    return cells.join(` ${bar} `).trimEnd();
  }
}
