// Elements as data: written as HTML in Node, and drawn by Preact in a browser.

import type { Figure } from "../eval/findings.ts";
import { plain } from "./plain.ts";

/** Text, or an element. Names of tags and attributes are ours; values and texts may be anybody's. */
export type Tree = string | Branch;

/** An element; `draws`: a figure that is put into it where there is JavaScript. */
export type Branch = {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly Tree[];
  readonly draws?: Figure | undefined;
};

/** An element with what stands in it. */
export const branch = (tag: string, attributes: Branch["attributes"], children: readonly Tree[]): Branch => ({
  tag,
  attributes,
  children,
});

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? "");

/** Text as HTML: nothing in it is markup, and characters that hide or turn the writing are made visible. */
export const htmlText = (text: string): string => escaped(plain(text));

/** A tree as HTML. */
export function htmlOf(tree: Tree): string {
  if (typeof tree === "string") return htmlText(tree);
  const { tag, attributes, children } = tree;
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${htmlText(String(value))}"`);
  return `<${tag}${written.join("")}>${children.map(htmlOf).join("")}</${tag}>`;
}
