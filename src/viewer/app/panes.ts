// What each agent has said by the cursor. Only the end of it stands in the page; more comes when it is asked for.

import { h } from "preact";
import type { ComponentChild } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { doingAt, timesUpTo, upTo } from "../moment.ts";
import type { Item, Lane, SaidItem } from "../scene.ts";
import { useCell } from "./cells.ts";
import { count, plain, plainName } from "../plain.ts";
import { titleOf } from "./state.ts";
import type { RunView, State } from "./state.ts";

/** The texts of one of the runs that are shown: the last, unless another is asked for. */
export function Panes({ state }: { readonly state: State }): ComponentChild {
  const all = useCell(state.runs);
  const shown = useCell(state.shown);
  const read = useCell(state.read);
  const chosen = read !== undefined && shown.includes(read) ? read : shown.at(-1);
  const run = chosen === undefined ? undefined : all[chosen];
  if (run === undefined) return null;
  return h("section", { class: "texts", "aria-label": "What was said" }, [
    shown.length < 2
      ? null
      : h("div", { class: "group tabs", role: "group", "aria-label": "Whose words" }, [
          h("span", { class: "note" }, "words of"),
          ...shown.map((index) =>
            h(
              "button",
              { key: index, type: "button", "aria-pressed": index === chosen, onClick: () => state.read.set(index) },
              nameOf(all[index]),
            ),
          ),
        ]),
    h(Row, { key: run, state, run }),
  ]);
}

const nameOf = (run: RunView | undefined): string => (run === undefined ? "" : plainName(titleOf(run)));

type Shown = { readonly state: State; readonly run: RunView };

function Row({ state, run }: Shown): ComponentChild {
  useCell(run.grew, () => run.scene().lanes.length);
  const { lanes } = run.scene();
  return h(
    "div",
    { class: "panes" },
    lanes.map((lane, index) => h(Pane, { key: lane.agent, state, run, lane, index })),
  );
}

type PaneProps = Shown & { readonly lane: Lane; readonly index: number };

function Pane({ state, run, lane, index }: PaneProps): ComponentChild {
  const chosen = useCell(state.agent, (id) => id === lane.agent);
  const place = useRef<HTMLElement>(null);
  const seen = useSeen(place);
  const name = plainName(lane.agent);
  useEffect(() => {
    const row = place.current?.parentElement;
    // Sideways only: the page itself stays where the reader has it.
    if (chosen && row) row.scrollTo({ left: place.current?.offsetLeft ?? 0 });
  }, [chosen]);
  return h("article", { class: chosen ? "pane chosen" : "pane", ref: place, "aria-label": name }, [
    h("h3", {}, [h("bdi", {}, name), seen ? h(Doing, { state, run, index }) : null]),
    h(Text, { state, run, lane, seen, name }),
  ]);
}

/** Panes that are out of sight are not kept up to date. */
function useSeen(place: { readonly current: HTMLElement | null }): boolean {
  const [seen, see] = useState(false);
  useEffect(() => {
    const pane = place.current;
    if (pane === null) return undefined;
    const observer = new IntersectionObserver((entries) => see(entries.at(-1)?.isIntersecting === true));
    observer.observe(pane);
    return () => observer.disconnect();
  }, []);
  return seen;
}

function Doing({ state, run, index }: Shown & { readonly index: number }): ComponentChild {
  useCell(run.grew);
  const doing = useCell(state.time, (at) => {
    const agent = run.scene().timeline.agents[index];
    return agent === undefined ? "silent" : doingAt(agent, at);
  });
  return h("span", { class: `doing ${doing.replace(" ", "-")}` }, doing);
}

const batch = 30;
type TextProps = Shown & { readonly lane: Lane; readonly seen: boolean; readonly name: string };

function Text({ state, run, lane, seen, name }: TextProps): ComponentChild {
  useCell(run.grew, () => (seen ? lane.items.length : 0));
  const items = useCell(state.time, (at) => (seen ? upTo(lane.items, at) : 0));
  const chunks = useCell(state.time, (at) => (seen ? timesUpTo(lane.chunkAt, at) : 0));
  const [more, setMore] = useState(batch);
  const place = useRef<HTMLDivElement>(null);
  const pinned = useRef(true);
  useLayoutEffect(() => {
    const box = place.current;
    if (box !== null && pinned.current) box.scrollTop = box.scrollHeight;
  }, [items, chunks, seen]);
  const scrolled = () => {
    const box = place.current;
    if (box !== null) pinned.current = box.scrollHeight - box.scrollTop - box.clientHeight < 24;
  };
  const first = Math.max(0, items - more);
  const label = `what ${name} said`;
  return h("div", { class: "text", ref: place, tabIndex: 0, role: "region", "aria-label": label, onScroll: scrolled }, [
    first > 0 ? h(Earlier, { show: () => setMore(more + batch * 4) }) : null,
    ...lane.items.slice(first, items).map((item, index) => shownItem(lane, item, { chunks, key: first + index })),
  ]);
}

const Earlier = ({ show }: { readonly show: () => void }): ComponentChild =>
  h("button", { type: "button", class: "earlier", onClick: show }, "Earlier…");

type Shape = { readonly chunks: number; readonly key: number };

function shownItem(lane: Lane, item: Item, { chunks, key }: Shape): ComponentChild {
  if (item.type === "said") return h("p", { key, class: item.cut ? "said cut" : "said" }, saidText(lane, item, chunks));
  const mark = markOf(item);
  return mark === undefined ? null : h("p", { key, class: `mark ${mark.kind}` }, mark.text);
}

type Mark = { readonly kind: "quiet" | "hand" | "unsaid"; readonly text: string };

/** What stands between the words. */
function markOf(item: Exclude<Item, SaidItem>): Mark | undefined {
  switch (item.type) {
    case "turn":
      return turnMark(item);
    case "cut":
      return {
        kind: "hand",
        text: `cut by ${plainName(item.by)}${item.reason === undefined ? "" : `: ${plain(item.reason)}`}`,
      };
    case "leave":
      return { kind: "quiet", text: `${plainName(item.by)} has heard enough` };
    case "failure":
      return { kind: "hand", text: plain(item.message) };
    case "end":
      return endMark(item);
  }
}

function turnMark({ heard, resumes }: Extract<Item, { type: "turn" }>): Mark | undefined {
  if (resumes) return { kind: "quiet", text: "goes on" };
  if (heard.length === 0) return undefined;
  const names = heard.slice(0, 6).map(([speaker, index]) => `${plainName(speaker)} ${index + 1}`);
  const more = heard.length > 6 ? ` and ${heard.length - 6} more` : "";
  return { kind: "quiet", text: `heard ${names.join(", ")}${more}` };
}

function endMark({ reason, overrunTokens }: Extract<Item, { type: "end" }>): Mark | undefined {
  const unsaid = overrunTokens > 0 ? `${count(overrunTokens)} tokens were made and never said` : "";
  if (reason === "stop" || reason === "interrupted")
    return unsaid === "" ? undefined : { kind: "unsaid", text: unsaid };
  return { kind: "quiet", text: `ended: ${reason}${unsaid === "" ? "" : `; ${unsaid}`}` };
}

/** A step of any length stays cheap to show: of a long one the end. */
const longest = 12_000;

function saidText({ chunkText }: Lane, item: SaidItem, chunks: number): ComponentChild[] {
  const said = chunkText.slice(item.from, Math.min(item.to, chunks)).join("") || item.alone;
  const text = plain(said.length > longest ? `…${said.slice(-longest)}` : said).trim();
  const whole = item.index !== undefined && item.to <= chunks;
  return [
    whole && item.index !== undefined ? h("span", { class: "number" }, String(item.index + 1)) : null,
    text,
    whole && item.cut ? h("span", { class: "edge", title: "cut here" }, " —") : null,
  ];
}
