import { clip, pad, width } from "./printable.ts";
import type { Look } from "./timeline.ts";

/** A column: numbers go to the right; the column with the greatest `drop` goes first where the line is too short. */
export type Column = { readonly title: string; readonly numeric?: boolean; readonly drop?: number };

/** Rows of printable text under titles, none wider than the terminal: columns are left out, then the first one is clipped. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[], look: Look): string[] {
  const all = columns.map((column, index) => {
    const cells = [column.title, ...rows.map((row) => row[index] ?? "")];
    return { ...column, cells, width: Math.max(...cells.map(width)) };
  });
  let shown = all;
  const wide = () => shown.reduce((sum, column) => sum + column.width, 2 * (shown.length - 1));
  while (wide() > look.columns) {
    const last = shown.reduce((a, b) => ((b.drop ?? 0) > (a.drop ?? 0) ? b : a));
    if ((last.drop ?? 0) === 0) break;
    shown = shown.filter((column) => column !== last);
  }
  const ellipsis = look.unicode === false ? "." : "…";
  const firstWidth = Math.max(1, (shown[0]?.width ?? 0) - Math.max(0, wide() - look.columns));
  return [columns.map(({ title }) => title), ...rows].map((_, line) =>
    shown
      .map(({ cells, numeric, width: full }, index) => {
        const room = index === 0 ? firstWidth : full;
        return pad(clip(cells[line] ?? "", room, ellipsis), room, numeric === true ? "start" : "end");
      })
      .join("  ")
      .trimEnd(),
  );
}
