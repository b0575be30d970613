import { animals } from "./clues-animals.ts";
import { countries } from "./clues-countries.ts";
import { elements } from "./clues-elements.ts";
import { inventions } from "./clues-inventions.ts";
import { people } from "./clues-people.ts";
import { places } from "./clues-places.ts";
import { plants } from "./clues-plants.ts";
import { space } from "./clues-space.ts";
import { works } from "./clues-works.ts";

/** An answer, what else it may be called, and five clues from hard to easy, each true of it. */
export type ClueItem = {
  readonly category: string;
  readonly answer: string;
  readonly aliases: readonly string[];
  readonly clues: readonly string[];
};

// A data file writes an item as a block of six lines: `answer | alias, alias`, then the clues.
const read = (category: string, text: string): ClueItem[] =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map((block) => {
      const [head = "", ...lines] = block.split("\n").map((line) => line.trim());
      const [answer = "", aliases = ""] = head.split("|").map((part) => part.trim());
      return { category, answer, aliases: aliases === "" ? [] : aliases.split(", "), clues: lines };
    });

/** All items. */
export const clueItems: readonly ClueItem[] = Object.entries({
  animal: animals,
  country: countries,
  "chemical element": elements,
  "invention or device": inventions,
  person: people,
  place: places,
  "plant or food": plants,
  "sky and weather": space,
  "book, tale or work": works,
}).flatMap(([category, text]) => read(category, text));
