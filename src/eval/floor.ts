// What was said, put together again where a speaker was cut and given the floor back.

import type { Utterance as Said } from "../runtime/dialogue.ts";
import { answerOf, holdsBack } from "./task.ts";
import type { Sample, Utterance } from "./task.ts";

/** How often the floor is given back in one conversation; after that a hand that had nothing to say keeps it. */
export const mostFloorsBack = 8;

const goOn = /^\W*(?:please\s+|sorry,?\s+)*(?:go on|go ahead|continue|carry on|keep going)\b/i;

/** Whether a reply to a message that was cut gives the floor back: it says so, answers "not known yet", or, where nobody would speak again, answers nothing. */
export function givesBack({ agent, text }: Pick<Said, "agent" | "text">, sample: Sample): boolean {
  const { by, marker } = sample.answer;
  if (goOn.test(text)) return true;
  if (agent !== by) return false;
  if (sample.rounds === 1) return answerOf(text, sample.answer) === undefined;
  const at = text.toLowerCase().lastIndexOf(marker.toLowerCase());
  return (
    at >= 0 &&
    holdsBack(
      text
        .slice(at + marker.length)
        .trim()
        .split("\n")[0] ?? "",
    )
  );
}

/** The indices of the messages that gave the floor back. */
export function floorsBack(said: readonly Said[], sample: Sample): number[] {
  const back: number[] = [];
  for (const [index, message] of said.entries()) {
    const cut = index > 0 && said[index - 1]?.cutBy === message.agent;
    if (cut && back.length < mostFloorsBack && givesBack(message, sample)) back.push(index);
  }
  return back;
}

/** The conversation as the judge reads it: a message that went on after a cut is one message, at the place where it ended. */
export function transcriptOf(said: readonly Said[], sample: Sample): Utterance[] {
  const back = new Set(floorsBack(said, sample));
  const transcript: Utterance[] = [];
  for (const [index, { agent, text }] of said.entries()) {
    const before = transcript.at(-2);
    if (back.has(index - 1) && before?.agent === agent) {
      transcript.splice(-2, 1);
      transcript.push({ agent, text: joined(before.text, text, sample.roles.find(({ id }) => id === agent)?.says) });
    } else transcript.push({ agent, text });
  }
  return transcript;
}

/** A cut may fall inside a word; a template tells. */
const joined = (before: string, after: string, says = ""): string =>
  says.startsWith(before + after) || after === "" || before === "" ? before + after : `${before} ${after}`;
