// What to know when reading a plan.

import type { MeasuredQuality, Profile } from "../measure/profile.ts";
import type { Candidates } from "./candidates.ts";

/** The choices, and the number of steps where they name none. */
type Context = { readonly steps: number; readonly candidates: Candidates };

const unknownQuality =
  "How right steps are is not measured: nothing is said of correctness, of one agent against several, or of cuts.";

/** What the profile leaves out, and what had to be assumed. */
export function notesOf({ speeds, simulated, quality, cache }: Profile, context: Context): string[] {
  const notes: string[] = [];
  if (simulated) notes.push("Measured on a simulated model: the plan is about that model.");
  if (cache === null) notes.push("No agent called twice while measuring: nothing is planned to be cached.");
  else if (speeds.cacheRead === null && cache !== "off")
    notes.push("The speed of reading cached tokens is not measured; they are planned to take as long as others.");
  return quality === null ? [...notes, unknownQuality] : [...notes, ...qualityNotes(quality, context)];
}

/** Below this a judge's word is passed on with a warning. */
const trusted = 0.9;

function qualityNotes({ judge, profile }: MeasuredQuality, { steps, candidates }: Context): string[] {
  const { steps: planned = [steps], topologies = ["tree"] } = candidates;
  const measured = profile.length;
  const notes: string[] = [];
  if (planned.some((count) => count !== measured))
    notes.push(`Correctness was measured with ${measured} steps; for other numbers it is stretched over the message.`);
  if (topologies.some((shape) => shape === "tree" || shape === "graph"))
    notes.push("What hearing a step does was measured with one speaker; where several are heard it is added up.");
  const agreement = judge.agreement?.value ?? 1;
  if (agreement < trusted) {
    const share = Math.round(agreement * 100);
    notes.push(`${judge.name} judged the steps, and agrees with the truth in ${share} %: correctness is only as good.`);
  }
  return notes;
}
