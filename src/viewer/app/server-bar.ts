// What a page of a server has above the runs: a task for one of its teams, the runs there are, a key where one is wanted.

import { h } from "preact";
import type { ComponentChild } from "preact";
import { useState } from "preact/hooks";
import { useCell } from "./cells.ts";
import { startRun } from "./live.ts";
import type { Live } from "./live.ts";
import { plainName } from "../plain.ts";
import type { State } from "./state.ts";

type Props = { readonly state: State; readonly live: Live };

export function ServerBar({ state, live }: Props): ComponentChild {
  const locked = useCell(live.locked);
  return locked ? h(KeyForm, { live }) : h("div", {}, [h(TaskForm, { state, live }), h(RunList, { live })]);
}

function KeyForm({ live }: { readonly live: Live }): ComponentChild {
  const [key, setKey] = useState("");
  const send = (event: Event) => {
    event.preventDefault();
    live.key.set(key);
  };
  const type = (event: Event) => setKey((event.currentTarget as HTMLInputElement).value);
  return h("form", { class: "ask", onSubmit: send }, [
    h("input", {
      type: "password",
      "aria-label": "The server's key",
      placeholder: "This server wants a key",
      autocomplete: "off",
      value: key,
      onInput: type,
    }),
    h("button", { type: "submit" }, "Go on"),
  ]);
}

function TaskForm({ state, live }: Props): ComponentChild {
  const teams = useCell(live.teams);
  const [task, setTask] = useState("");
  const [team, setTeam] = useState("");
  const [asked, ask] = useState(false);
  if (teams.length === 0) return null;
  const send = (event: Event) => {
    event.preventDefault();
    if (task.trim() === "" || asked) return;
    ask(true);
    void startRun(state, live, { model: team || (teams[0] ?? ""), task }).then((started) => {
      ask(false);
      if (started) setTask("");
    });
  };
  const type = (event: Event) => setTask((event.currentTarget as HTMLInputElement).value);
  const choose = (event: Event) => setTeam((event.currentTarget as HTMLSelectElement).value);
  return h("form", { class: "ask", onSubmit: send }, [
    h(
      "select",
      { "aria-label": "Team", value: team || teams[0], onChange: choose },
      teams.map((name) => h("option", { key: name, value: name }, plainName(name))),
    ),
    h("input", { "aria-label": "Task", placeholder: "A task for this team", value: task, onInput: type }),
    h("button", { type: "submit", disabled: asked }, "Start"),
  ]);
}

function RunList({ live }: { readonly live: Live }): ComponentChild {
  const list = useCell(live.list);
  const id = useCell(live.id);
  if (list.length === 0) return null;
  const choose = (event: Event) => live.id.set((event.currentTarget as HTMLSelectElement).value);
  return h("div", { class: "ask" }, [
    h(
      "select",
      { "aria-label": "Run", value: id ?? "", onChange: choose },
      list.map((run) => h("option", { key: run.id, value: run.id }, plainName(run.label))),
    ),
  ]);
}
