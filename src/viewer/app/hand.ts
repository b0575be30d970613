// The hand beside an agent's name: it cuts the agent, and afterwards gives the floor back.

import { h } from "preact";
import type { ComponentChild } from "preact";
import { useState } from "preact/hooks";
import type { TimelineAgent } from "../../core/timeline.ts";
import { plainName } from "../plain.ts";
import type { Hand, RunView, State } from "./state.ts";

const handPath =
  "M5.2 8.2V3.4a.9.9 0 0 1 1.8 0V7h.3V2a.9.9 0 0 1 1.8 0v5h.3V2.8a.9.9 0 0 1 1.8 0v5.4h.3V5a.9.9 0 0 1 1.7 0v5.2c0 3-1.7 5-4.4 5-2 0-3.2-.9-4.2-2.7L2.6 9.4c-.5-.9.6-1.7 1.4-1z";
const backPath = "M6 2 1.5 6.5 6 11V8h3.2a2.4 2.4 0 0 1 0 4.8H4.5v2h4.7a4.4 4.4 0 0 0 0-8.8H6z";

const icon = (path: string): ComponentChild =>
  h(
    "svg",
    { viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true" },
    h("path", { d: path, fill: "currentColor" }),
  );
const handIcon = icon(handPath);
const backIcon = icon(backPath);

type Props = { readonly state: State; readonly run: RunView; readonly hand: Hand; readonly agent: string };

/** Only while the agent is at it, or its place is kept. */
export function HandButton({ state, run, hand, agent }: Props): ComponentChild {
  const [asked, ask] = useState(false);
  const { agents, end } = run.scene().timeline;
  const row = agents.find((one) => one.agent === agent);
  if (row?.end !== undefined || end !== undefined) return null;
  const back = row !== undefined && cutByPerson(row, agents);
  const shown = plainName(agent);
  const act = () => {
    ask(true);
    const tell = (text: string) => {
      ask(false);
      state.message.set(text);
    };
    const failed = (error: unknown) => tell(`The server did not take it: ${String(error)}`);
    (back ? hand.giveBack : hand.raise)(agent).then(tell, failed);
  };
  const label = back ? `Give the floor back to ${shown}` : `Raise a hand: interrupt ${shown}`;
  return h("button", { type: "button", class: "raise", disabled: asked, title: label, onClick: act }, [
    back ? backIcon : handIcon,
    h("span", { class: "unseen" }, label),
  ]);
}

function cutByPerson({ turns, interrupts }: TimelineAgent, agents: readonly TimelineAgent[]): boolean {
  const last = interrupts.at(-1);
  if (last === undefined || turns.at(-1)?.reason !== "interrupted") return false;
  return agents.every(({ agent }) => agent !== last.by);
}
