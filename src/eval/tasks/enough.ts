import type { Need, Sample, Transcript, Utterance } from "../task.ts";
import { mentions } from "./match.ts";

/**
 * Whether somebody who heard this can know the answer: the truth for template speakers, the mention of one of the
 * needed values for others. Undefined where the task does not know.
 */
export function heardEnough(transcript: Transcript, sample: Sample): boolean | undefined {
  if (sample.enough === undefined) return undefined;
  const fromTemplate = ({ agent, text }: Utterance) =>
    sample.roles.find(({ id }) => id === agent)?.says?.startsWith(text) === true;
  const met = ({ by, said, values }: Need): boolean | undefined => {
    const heard = transcript.filter(({ agent }) => agent === by);
    if (heard.some(({ text }) => text.includes(said))) return true;
    const own = heard.filter((message) => !fromTemplate(message));
    if (own.length === 0) return false;
    return values === undefined ? undefined : own.some(({ text }) => values.some((value) => mentions(text, value)));
  };
  const sets = sample.enough.map((needs) => needs.map(met));
  if (sets.some((needs) => needs.every((need) => need === true))) return true;
  return sets.every((needs) => needs.includes(false)) ? false : undefined;
}
