// A run on a terminal while it goes on.

import type { EventOf, Heard, RunEvent, RunStart } from "../core/types.ts";
import type { Out } from "./io.ts";
import { lanesFor } from "./lanes.ts";
import type { Lanes } from "./lanes.ts";
import { clip, printable } from "./printable.ts";
import { Screen } from "./screen.ts";
import type { Look } from "./timeline.ts";
import { Undelimited } from "./undelimited.ts";

export type LiveOptions = {
  readonly out: Out;
  readonly look: Look;
  /** The terminal's cursor can be moved. */
  readonly moves: boolean;
};

type Doing = "listens" | "reads" | "thinks" | "speaks";
type AgentView = {
  readonly id: string;
  readonly parents: number;
  doing: Doing | undefined;
  steps: number;
  /** What leaves out delimiters, in a run in which any agent is simulated. */
  readonly said: Undelimited | undefined;
};

/** Milliseconds between two drawings at least. */
const pause = 40;
const tick = 250;

/** Shows each agent's words as they come, and in the last line who does what. Call `end` in any case. */
export class Live {
  readonly #options: LiveOptions;
  readonly #screen: Screen;
  #lanes: Lanes | undefined;
  #agents: AgentView[] = [];
  #begun = 0;
  #drawn = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#screen = new Screen(options.out, options.moves);
  }

  add(event: RunEvent): void {
    if (event.type === "run-start") this.#start(event);
    else if (event.type === "run-end") this.end();
    else this.#agent(event);
    if (this.#lanes !== undefined && performance.now() - this.#drawn >= pause) this.#draw();
  }

  /** Draws what is left and stops. */
  end(): void {
    clearInterval(this.#timer);
    const rows = this.#lanes?.final(true) ?? [];
    this.#lanes = undefined;
    this.#screen.draw(rows, []);
  }

  #start({ agents, edges, simulated }: RunStart): void {
    const { look } = this.#options;
    this.#agents = agents.map(({ id }) => ({
      id,
      parents: edges.filter(([, listener]) => listener === id).length,
      doing: "listens",
      steps: 0,
      said: simulated === true ? new Undelimited() : undefined,
    }));
    this.#lanes = lanesFor(
      agents.map(({ id }) => id),
      look,
    );
    this.#begun = performance.now();
    this.#screen.draw(this.#lanes.head(), []);
    this.#timer = setInterval(() => this.#draw(), tick);
    this.#timer.unref();
  }

  #agent(event: Exclude<RunEvent, EventOf<"run-start" | "run-end">>): void {
    const position = this.#agents.findIndex(({ id }) => id === event.agent);
    const agent = this.#agents[position];
    const lanes = this.#lanes;
    if (agent === undefined || lanes === undefined) return;
    if (agent.said !== undefined && endsText(event)) lanes.say(position, agent.said.end());
    if (event.type === "chunk") {
      agent.doing = "speaks";
      lanes.say(position, agent.said?.push(event.text) ?? event.text);
    } else if (event.type === "turn-start") {
      agent.doing = "reads";
      if (event.heard.length > 0) lanes.note(position, this.#hears(event.heard, agent));
      lanes.step(position, String(agent.steps + 1));
    } else if (event.type === "step") {
      agent.steps = event.index + 1;
      lanes.step(position, String(agent.steps + 1));
    } else if (event.type === "reasoning") agent.doing = "thinks";
    else if (event.type === "turn-end") agent.doing = "listens";
    else if (event.type === "agent-end") agent.doing = undefined;
    const remark = remarkOf(event, this.#options.look);
    if (remark !== undefined) lanes.note(position, remark);
  }

  #hears(heard: readonly Heard[], { parents }: AgentView): string {
    const sign = this.#options.look.unicode === false ? "^" : "↑";
    if (parents > 1)
      return `${sign} ${heard.map(([speaker, index]) => `${printable(speaker)} ${index + 1}`).join(", ")}`;
    const [first = 0, last = 0] = [heard[0]?.[1], heard.at(-1)?.[1]];
    return `${sign} ${first === last ? `${first + 1}` : `${first + 1}-${last + 1}`}`;
  }

  #draw(): void {
    if (this.#lanes === undefined) return;
    this.#drawn = performance.now();
    const rows = this.#lanes.final();
    this.#screen.draw(rows, [...this.#lanes.open(), this.#status()]);
  }

  #status(): string {
    const { look } = this.#options;
    const seconds = ((performance.now() - this.#begun) / 1000).toFixed(1);
    const doing = this.#agents.flatMap((agent) =>
      agent.doing === undefined ? [] : [`${printable(agent.id)} ${agent.doing}`],
    );
    const ascii = look.unicode === false;
    const text = clip([`${seconds} s`, ...doing].join(ascii ? " - " : " · "), look.columns - 1, ascii ? "." : "…");
    return look.color ? `\u001b[2m${text}\u001b[0m` : text;
  }
}

const endsText = ({ type }: RunEvent): boolean => type === "step" || type === "turn-end";

/** What else there is to say about an agent. */
function remarkOf(event: RunEvent, { unicode }: Look): string | undefined {
  if (event.type === "interrupt") {
    const why = event.reason === undefined ? "" : `: ${printable(event.reason)}`;
    return `${unicode === false ? "x" : "╳"} interrupted by ${printable(event.by)}${why}`;
  }
  if (event.type === "agent-end" && event.reason === "failed")
    return `! ${printable(event.error?.message ?? "failed")}`;
  if (event.type === "agent-end" && event.reason === "skipped") return "(skipped)";
  if (event.type === "turn-end" && event.reason === "length") return "(cut by the limit of tokens)";
  return undefined;
}
