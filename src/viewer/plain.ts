// Text that others wrote, and numbers, as a page shows them.

import { hidden } from "../base/text.ts";

const pictures = 0x2400;

const shown = (character: string): string => {
  if (character === "\n" || character === "\t") return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(pictures + code);
  return code === 0x7f ? "␡" : `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
};

/** Text with controls and marks that turn its direction made visible; line ends and tabs stay. */
export const plain = (text: string): string => text.replaceAll("\r\n", "\n").replaceAll(hidden, shown);

/** The same for a name, on one line and not longer than 80 characters. */
export function plainName(text: string): string {
  const line = plain(text).replaceAll(/\s+/g, " ");
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`;
}

/** A time in milliseconds, fit for `span`. */
export function duration(ms: number, span = ms): string {
  if (span < 1000) return `${ms.toFixed(0)} ms`;
  const seconds = ms / 1000;
  if (span < 120_000) return `${seconds.toFixed(span < 20_000 ? 2 : 1)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - minutes * 60).toFixed(0).padStart(2, "0")} min`;
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
export const count = (amount: number): string => whole.format(amount);

/** Money, small amounts with as many digits as they need. */
export function money(amount: number, currency: string): string {
  const digits = amount === 0 || amount >= 1 ? 2 : Math.min(6, 2 - Math.floor(Math.log10(amount)));
  const text = amount.toFixed(digits);
  return currency === "USD" ? `$${text}` : `${text} ${currency}`;
}
