// What tuning comes to, and how far it is, for people.

import type { Job, TrainerEvent, TunedAdapter, TunedByApi, Verdict } from "../../learn/index.ts";
import type { Io } from "../io.ts";
import { clip, printable } from "../printable.ts";
import { statusOn } from "../status.ts";
import { leftOf } from "./eval-progress.ts";
import { calibrationLines, ruleLines } from "./learn-show.ts";

const places = (value: number | null): string => (value === null ? "–" : value.toFixed(3));

const verdictLines = ({ auc, points, calibration, rule }: Verdict): string[] => [
  `AUC of single decisions, held out: ${places(auc)} (${points} decisions)`,
  ...calibrationLines(calibration),
  ...ruleLines(rule),
];

export function adapterLines({ agreement, verdict, trained }: TunedAdapter): string[] {
  const { largest, mean, points } = agreement;
  return [
    `trained ${trained.step} steps; the trainer's own AUC held out: ${places(trained.auc)}`,
    `trainer and llama.cpp: probabilities differ by ${mean.toFixed(4)} in the mean, ${largest.toFixed(4)} at most, on ${points} hearings`,
    ...verdictLines(verdict),
  ];
}

export function apiLines({ job, file, verdict }: TunedByApi): string[] {
  const name = file.model.kind === "api" ? file.model.name : "";
  const lines = [`job ${printable(job.id)} made ${printable(name)}`];
  if (verdict === undefined) return [...lines, "not asked about hearings held out: it cuts above log-odds 0"];
  return [...lines, ...verdictLines(verdict)];
}

// Where nobody watches, a line now and then.
const everyMs = 60_000;

/** How far a training is: a line that is written over on a terminal; what is worth keeping, as lines of its own. */
export function trainingProgress(io: Io, now = () => performance.now()) {
  const status = statusOn(io);
  const watched = io.stderr.isTTY === true;
  let shown = now();
  const line = (text: string) => {
    status.clear();
    io.stderr.write(`duplex: ${printable(text)}\n`);
  };
  const step = ({ step: at, steps, loss, seconds, sinceStep }: Extract<TrainerEvent, { event: "step" }>) => {
    const left = leftOf(seconds * 1000, at - sinceStep, steps - at);
    const text = `step ${at} of ${steps}, loss ${places(loss)}${left}`;
    status.show(text);
    if (watched || now() - shown < everyMs) return;
    shown = now();
    line(text);
  };
  const event = (happened: TrainerEvent) => {
    if (happened.event === "ready")
      line(`training on ${happened.device === "cuda" ? "the graphics card" : "the processor"}`);
    if (happened.event === "loaded")
      line(`${happened.rows} hearings of ${happened.messages} messages, ${happened.parameters} numbers to train`);
    if (happened.event === "step") step(happened);
    if (happened.event === "held")
      line(
        `step ${happened.step}: held out AUC ${places(happened.auc)}, loss ${places(happened.loss)} (${happened.rows} hearings)`,
      );
    if (happened.event === "stopped")
      line(`stopped after step ${happened.step}, which is kept; the same command goes on`);
  };
  return {
    event,
    /** What another program says of itself. */
    line: (text: string) => status.show(clip(printable(text), 200)),
    check: (done: number, all: number) => status.show(`the adapter in llama.cpp: ${done} of ${all} hearings`),
    end: () => status.clear(),
  };
}

/** How far a job behind an API is: a line for each change, with what it said last. */
export function jobProgress(io: Io) {
  const status = statusOn(io);
  let before = "";
  return {
    job: ({ id, status: state, estimated_finish: until }: Job, said: string | undefined) => {
      const end = typeof until === "number" ? `, expected to end ${new Date(until * 1000).toISOString()}` : "";
      const text = printable(`job ${id}: ${state}${said === undefined ? "" : `, ${said}`}${end}`);
      status.show(text);
      if (text !== before && io.stderr.isTTY !== true) io.stderr.write(`duplex: ${text}\n`);
      before = text;
    },
    check: (done: number, all: number) => status.show(`the tuned model: asked about ${done} of ${all} hearings`),
    end: () => status.clear(),
  };
}
