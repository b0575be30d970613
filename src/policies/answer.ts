// What a model's words mean where Yes or No was asked for.

/** Why an answer could not be read: it means wait, and begins the decision's note. */
export type Unclear = "neither" | "refusal" | "thinking";

/** What a model answered to a yes-or-no question, or why that cannot be read. */
export type Answer = { readonly says: "yes" | "no" } | { readonly says: Unclear; readonly note: string };

const refusal =
  /\b(?:i(?:['’]m| am) (?:sorry|unable|not able|not allowed)|i (?:can ?not|can['’]t|won['’]t|will not|must decline)|as an ai)\b/i;

const quoted = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);

const unclear = (says: Unclear, text: string): Answer => ({
  says,
  note: text === "" ? says : `${says}: ${quoted(text)}`,
});

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Which of two words comes first in an answer, as its first word; both named at once is neither. */
function firstWord(text: string, [yes, no]: readonly [string, string]): "yes" | "no" | undefined {
  const either = `(?:${escaped(yes)}|${escaped(no)})`;
  const both = String.raw`(?!\s*(?:/|,?\s*\b(?:or|and)\b)\s*["'*]?${either})`;
  const begins = (word: string) =>
    new RegExp(String.raw`^[^\p{L}\p{N}]*${escaped(word)}(?![\p{L}\p{N}])${both}`, "iu").test(text);
  if (begins(yes)) return "yes";
  return begins(no) ? "no" : undefined;
}

/** Reads an answer. `reasoned`: the model thought apart from it. */
export function readAnswer(
  text: string,
  { words = ["Yes", "No"], reasoned = false }: { words?: readonly [string, string]; reasoned?: boolean } = {},
): Answer {
  const spoken = text.replaceAll(/<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/gi, "").trim();
  const says = firstWord(spoken, words);
  if (says !== undefined) return { says };
  if (spoken === "" && (reasoned || text.trim() !== "")) return unclear("thinking", text.trim());
  return unclear(refusal.test(spoken) ? "refusal" : "neither", spoken);
}

/** Why a decision's answer could not be read, by its note; undefined where it could: what a report counts. */
export function unclearOf(note: string | undefined): Unclear | undefined {
  const found = /(?:^|; )(neither|refusal|thinking)(?=$|[:;])/.exec(note ?? "");
  return found?.[1] as Unclear | undefined;
}
