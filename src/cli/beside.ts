// Protocols beside each other, for people.

import type { ArmLine, Told } from "./arms.ts";
import { clip, printable } from "./printable.ts";
import { renderTable } from "./table.ts";
import { renderTimeline } from "./timeline.ts";
import type { Look } from "./timeline.ts";

const columns = [
  { title: "protocol" },
  { title: "time", numeric: true },
  { title: "speed-up", numeric: true, drop: 1 },
  { title: "calls", numeric: true, drop: 4 },
  { title: "read", numeric: true, drop: 3 },
  { title: "cached", numeric: true, drop: 6 },
  { title: "written", numeric: true, drop: 2 },
  { title: "alpha", numeric: true, drop: 9 },
  { title: "beta", numeric: true, drop: 8 },
  { title: "r_po", numeric: true, drop: 10 },
  { title: "cost", numeric: true, drop: 5 },
];

/** A row for each protocol. Tokens with `~` were estimated. */
export function renderArms(arms: readonly Told[], look: Look): string[] {
  const rows = arms.map(({ line }) => {
    const tokens = (count: number) => `${line.estimated ? "~" : ""}${count}`;
    const { calls, inputTokens, cachedTokens, outputTokens } = line.usage;
    return [
      line.protocol,
      secondsOf(line.wallMs),
      line.speedUp.vsSerial === null ? "" : times(line.speedUp.vsSerial, look),
      String(calls),
      tokens(inputTokens),
      tokens(cachedTokens),
      tokens(outputTokens),
      rounded(line.alpha),
      rounded(line.beta),
      rounded(line.rPo),
      line.cost === null ? "" : `${Number(line.cost.amount.toPrecision(3))} ${line.cost.currency}`,
    ];
  });
  const used = columns.map((_, index) => rows.some((row) => row[index] !== ""));
  const kept = <T>(items: readonly T[]) => items.filter((_, index) => used[index]);
  return renderTable(kept(columns), rows.map(kept), look);
}

/** The timelines of some protocols under one axis of time, so that what overlaps is seen. */
export function renderBeside(arms: readonly Told[], look: Look): string[] {
  const wallMs = Math.max(...arms.map(({ timeline }) => timeline.wallMs));
  return arms.flatMap(({ line, timeline }, index) => {
    const rows = renderTimeline({ ...timeline, wallMs }, look);
    // What the marks mean is told once, at the end.
    const lanes = timeline.agents.flatMap(({ turns }) => (turns.some(({ heard }) => heard.length > 0) ? [1, 2] : [1]));
    const shown = index === arms.length - 1 ? rows : rows.slice(0, 1 + lanes.length);
    return [...(index > 0 ? [""] : []), bold(`${line.protocol}, ${secondsOf(line.wallMs)}`, look), ...shown];
  });
}

/** What streaming gained and what it cost, in words. */
export function verdict(arms: readonly Told[], look: Look): string[] {
  const lineOf = (name: string) => arms.find(({ line }) => line.protocol === name)?.line;
  const [stream, serial, segmented] = [lineOf("stream"), lineOf("serial"), lineOf("segmented")];
  if (stream === undefined || serial === undefined || stream.speedUp.vsSerial === null) return [];
  const { vsSerial, bound, efficiency } = stream.speedUp;
  const pace = vsSerial >= 1 ? `${times(vsSerial, look)} as fast` : `slower (${times(vsSerial, look)})`;
  const share =
    bound === null || efficiency === null
      ? ""
      : `, ${Math.round(efficiency * 100)} % of the bound of ${times(bound, look)}`;
  const gained = `Stream took ${secondsOf(stream.wallMs)} where serial took ${secondsOf(serial.wallMs)}: ${pace}${share}.`;
  const price = [
    `${stream.usage.calls} calls instead of ${serial.usage.calls}`,
    change("tokens read", stream.usage.inputTokens, serial.usage.inputTokens) + cachedShare(stream),
    change("tokens written", stream.usage.outputTokens, serial.usage.outputTokens),
    ...(stream.cost !== null && serial.cost?.currency === stream.cost.currency
      ? [change("cost", stream.cost.amount, serial.cost.amount)]
      : []),
  ];
  const control =
    segmented === undefined
      ? []
      : [
          `Segmented makes the same calls without overlap and took ${secondsOf(segmented.wallMs)}: ` +
            `overlap alone is ${times(segmented.wallMs / stream.wallMs, look)}.`,
        ];
  return [gained, `It cost ${price.join(", ")}.`, ...control].flatMap((text) => wrapped(text, look.columns));
}

const cachedShare = ({ usage: { inputTokens, cachedTokens } }: ArmLine): string =>
  cachedTokens === 0 ? "" : ` (${Math.round((cachedTokens * 100) / inputTokens)} % of them from a cache)`;

function change(what: string, now: number, before: number): string {
  if (before === 0 || Math.round((now / before - 1) * 100) === 0)
    return `as many ${what}`.replace("as many cost", "the same money");
  const percent = Math.round((now / before - 1) * 100);
  return `${Math.abs(percent)} % ${percent > 0 ? "more" : "fewer"} ${what}`.replace(
    /(more|fewer) cost/,
    percent > 0 ? "more money" : "less money",
  );
}

/** Words in as few lines as fit. */
export function wrapped(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= room) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(clip(printable(word), room));
  }
  return lines;
}

export const bold = (text: string, { color, columns: room }: Look): string =>
  color ? `\u001b[1m${clip(text, room)}\u001b[0m` : clip(text, room);

const secondsOf = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`);

const times = (factor: number, { unicode }: Look): string => `${factor.toFixed(2)}${unicode === false ? "x" : "×"}`;

const rounded = (value: number | null): string => (value === null ? "" : String(Number(value.toFixed(2))));
