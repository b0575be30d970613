// Whether two answers are the same, as far as that can be said at once: true, false, or unknown.
import { words } from "../../tasks/match.ts";
import { NoFormula, readExpression } from "./expression.ts";
import type { Expression } from "./expression.ts";
import type { Form } from "./form.ts";
import { sameMeasure } from "./measure.ts";
import { fraction, inexact, keyOfReal, NoValue, sameReal, times } from "./number.ts";
import type { Real } from "./number.ts";

/** Two formulas that cannot be compared at once: an algebra system has to. */
export type Open = { readonly right: string; readonly given: string };

/** The verdict, or what it depends on: `all` must be the same. */
export type Sameness = boolean | { readonly all: readonly Open[] };

type One = Extract<Form, { kind: "one" }>;

function expressionOf(text: string): Expression | undefined {
  try {
    return readExpression(text);
  } catch (error) {
    if (error instanceof NoFormula || error instanceof NoValue) return undefined;
    throw error;
  }
}

function valueOf(expression: Expression, variables: ReadonlyMap<string, Real> = new Map()): Real | undefined {
  try {
    return expression.value(variables);
  } catch (error) {
    if (error instanceof NoValue) return undefined;
    throw error;
  }
}

// Where variables are tried: away from zeros and whole numbers, on both sides of one.
const places = [0.731, 1.387, 2.618, 0.243, 3.1803, -0.577];

const at = (names: readonly string[], place: number): ReadonlyMap<string, Real> =>
  new Map(names.map((name, index) => [name, inexact(place * (1 + 0.37 * index) + 0.11 * index)]));

/** Whether two formulas with variables agree wherever both have a value; unknown where they have too few. */
function agree(one: Expression, other: Expression): boolean | undefined {
  const names = [...new Set([...one.variables, ...other.variables])].toSorted();
  let compared = 0;
  for (const place of places) {
    const variables = at(names, place);
    const [x, y] = [valueOf(one, variables), valueOf(other, variables)];
    if (x === undefined || y === undefined) continue;
    if (!sameReal(x, y)) return false;
    compared++;
  }
  return compared >= 3 ? true : undefined;
}

const squeezed = (text: string): string => text.replaceAll(/(?<!\d)\s+|\s+(?!\d)/g, "");
const isWord = (text: string): boolean => /^[A-Za-z][A-Za-z' -]{2,}$/.test(text);

/** Both sides of an equation as one formula that is zero; the formula itself where there is no equation. */
function zeroForm(text: string): Expression | undefined {
  const [left = "", right, more] = text.split("=");
  if (right === undefined || more !== undefined) return undefined;
  return expressionOf(`(${left})-(${right})`);
}

function sameEquation(right: string, given: string): boolean | undefined {
  const [one, other] = [zeroForm(right), zeroForm(given)];
  if (one === undefined || other === undefined) return undefined;
  const turned: Expression = { ...other, value: (known) => times(other.value(known), fraction(-1n)) };
  return agree(one, other) === true || agree(one, turned) === true;
}

// What is asked for, as in m + n = 17.
const asked = /^[A-Za-z\\_{}()+ -]+=/;

function sameStated(right: One, given: One): Sameness | undefined {
  if (right.text.includes("=") && given.text.includes("=")) return sameEquation(right.text, given.text);
  const [one, other] = [right, given].map((side) => ({ ...side, text: side.text.replace(asked, "").trim() }));
  if (one === undefined || other === undefined || one.text.includes("=") || other.text.includes("=")) return false;
  return sameOne(one, other);
}

function sameOne(right: One, given: One): Sameness {
  if (given.text === "") return false;
  if (squeezed(right.text) === squeezed(given.text) && right.unit === given.unit) return true;
  if (isWord(right.text) || isWord(given.text)) return sameWords(right.text, given.text);
  return sameFormula(right, given);
}

const sameWords = (one: string, other: string): boolean => words(one).join(" ") === words(other).join(" ");

function sameFormula(right: One, given: One): Sameness {
  const open = { all: [{ right: right.text, given: given.text }] };
  if (right.text.includes("=") || given.text.includes("=")) return sameStated(right, given) ?? open;
  const [one, other] = [expressionOf(right.text), expressionOf(given.text)];
  if (one === undefined || other === undefined) return /\\infty/.test(right.text + given.text) ? false : open;
  if (one.variables.size > 0 || other.variables.size > 0) return agree(one, other) ?? open;
  return sameNumber([right, valueOf(one)], [given, valueOf(other)]) ?? open;
}

type Valued = readonly [One, Real | undefined];

/** Undefined where the right answer has no value here, or neither has. */
function sameNumber([right, x]: Valued, [given, y]: Valued): boolean | undefined {
  if (x === undefined) return undefined;
  return y !== undefined && sameMeasure({ value: x, unit: right.unit }, { value: y, unit: given.unit });
}

const both = (one: Sameness, other: Sameness): Sameness => {
  if (one === false || other === false) return false;
  if (one === true) return other;
  return other === true ? one : { all: [...one.all, ...other.all] };
};

const most = 100;

function inOrder(right: readonly Form[], given: readonly Form[]): Sameness {
  if (right.length !== given.length || right.length > most) return false;
  return right.reduce<Sameness>((sofar, item, index) => both(sofar, same(item, given[index] as Form)), true);
}

/** Pairs each item with one that is the same, those that are surely so first. */
function inAnyOrder(right: readonly Form[], given: readonly Form[]): Sameness {
  if (right.length !== given.length || right.length > most) return false;
  const left = [...given];
  const unsure: Form[] = [];
  for (const item of right) {
    const found = left.findIndex((other) => same(item, other) === true);
    if (found < 0) unsure.push(item);
    else left.splice(found, 1);
  }
  let result: Sameness = true;
  for (const item of unsure) {
    const found = left.findIndex((other) => same(item, other) !== false);
    if (found < 0) return false;
    result = both(result, same(item, left[found] as Form));
    left.splice(found, 1);
  }
  return result;
}

function distinct(items: readonly Form[]): Form[] {
  const kept: Form[] = [];
  for (const item of items.slice(0, most)) if (!kept.some((other) => same(other, item) === true)) kept.push(item);
  return kept;
}

type Row = Extract<Form, { kind: "row" }>;
type Several = Extract<Form, { kind: "several" }>;

const isPlain = ({ open }: Row): boolean => open === "(";

function sameRow(right: Row, given: Form): Sameness {
  if (given.kind === "row") {
    return right.open === given.open && right.close === given.close && inOrder(right.items, given.items);
  }
  // A list without brackets leaves open what it is.
  const listed = given.kind === "several" && !given.braces && isPlain(right);
  return listed && inOrder(right.items, given.items);
}

function sameSeveral(right: Several, given: Form): Sameness {
  const [only] = right.items;
  if (given.kind === "several") return inAnyOrder(distinct(right.items), distinct(given.items));
  if (given.kind === "union" && !right.braces) return inAnyOrder(right.items, given.items);
  if (given.kind === "row" && !right.braces && isPlain(given)) return inAnyOrder(right.items, given.items);
  return right.items.length === 1 && only !== undefined && same(only, given);
}

/** "0 < x < 1 or x > 2" is a union, too. */
const isUnion = (form: Form): form is Exclude<Form, One | Row> =>
  form.kind === "union" || (form.kind === "several" && !form.braces);

/** Whether a given answer is the right one. */
export function same(right: Form, given: Form): Sameness {
  if (right.kind === "row") return sameRow(right, given);
  if (right.kind === "several") return sameSeveral(right, given);
  if (right.kind === "union") return isUnion(given) && inAnyOrder(right.items, given.items);
  if (given.kind === "one") return sameOne(right, given);
  const [only] = given.items;
  return given.kind === "several" && given.items.length === 1 && only !== undefined && same(right, only);
}

function keyOfOne({ text }: One): string {
  const expression = isWord(text) ? undefined : expressionOf(text);
  if (expression === undefined) return isWord(text) ? words(text).join(" ") : squeezed(text);
  const known = [...expression.variables].toSorted();
  if (known.length === 0) {
    const value = valueOf(expression);
    return value === undefined ? squeezed(text) : keyOfReal(value);
  }
  const values = places.slice(0, 3).map((place) => valueOf(expression, at(known, place)));
  if (values.includes(undefined)) return squeezed(text);
  return `${known.join(",")}: ${values.map((value) => keyOfReal(value as Real)).join(" ")}`;
}

/** A text that is the same for answers that are the same, for voting. Units are left out. */
export function keyOf(form: Form): string {
  if (form.kind === "one") return keyOfOne(form);
  const keys = form.items.slice(0, most).map(keyOf);
  if (form.kind === "row") return `${form.open}${keys.join(", ")}${form.close}`;
  const sorted = [...new Set(keys)].toSorted();
  return form.kind === "union" ? sorted.join(" ∪ ") : `{${sorted.join(", ")}}`;
}
