// Findings on the page: the same elements as without JavaScript, and the figures drawn.

import { h } from "preact";
import type { ComponentChild } from "preact";
import { useEffect } from "preact/hooks";
import type { Figure } from "../../eval/findings.ts";
import { findingsTree } from "../findings-tree.ts";
import { plain } from "../plain.ts";
import type { Tree } from "../tree.ts";
import { useCell } from "./cells.ts";
import { drawFigure } from "./figure.ts";
import type { State } from "./state.ts";
import { useWidth } from "./width.ts";

/** One article for each experiment. */
export function FindingsList({ state }: { readonly state: State }): ComponentChild {
  const all = useCell(state.findings);
  return all.map((findings, index) =>
    drawn(findingsTree(findings, { first: index === 0, prefix: index === 0 ? "" : `${index + 1}-` })),
  );
}

function drawn(tree: Tree): ComponentChild {
  if (typeof tree === "string") return plain(tree);
  if (tree.draws !== undefined) return h(Drawing, { figure: tree.draws });
  const { class: name, tabindex, ...rest } = tree.attributes;
  const texts = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, plain(String(value))]));
  const attributes = {
    ...texts,
    ...(name === undefined ? {} : { class: String(name) }),
    ...(tabindex === undefined ? {} : { tabIndex: Number(tabindex) }),
  };
  return h(tree.tag, attributes, tree.children.map(drawn));
}

function Drawing({ figure }: { readonly figure: Figure }): ComponentChild {
  const { place, width } = useWidth();
  useEffect(() => {
    if (width > 0) place.current?.replaceChildren(drawFigure(figure, width));
  }, [figure, width]);
  return h("div", { class: "drawing", ref: place });
}
