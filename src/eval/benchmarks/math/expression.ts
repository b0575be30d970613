// Reads the formulas that answers are written in (LaTeX, or as one types them) and computes them.
import { binomial, decimal, factorial, fraction, inexact, inverse, negative, NoValue } from "./number.ts";
import { plus, power, root, times } from "./number.ts";
import type { Real } from "./number.ts";

/** A formula, computed once its variables are known. */
export type Expression = {
  /** The variables in it. */
  readonly variables: ReadonlySet<string>;
  /** Its value; throws `NoValue` where it has none. */
  value(variables: ReadonlyMap<string, Real>): Real;
};

type Compute = (variables: ReadonlyMap<string, Real>) => Real;

/** A text that is no formula, or one with parts that are not read here. */
export class NoFormula extends Error {
  override readonly name = "NoFormula";
}

const token = /\s*(?:(\d+(?:\.\d*)?|\.\d+)|\\([A-Za-z]+|.)|([A-Za-z])|(\S))/y;

/** Longer texts and deeper nesting are refused: an answer shall not cost seconds. */
const longest = 2000;
const deepest = 60;

function tokensOf(text: string): string[] {
  if (text.length > longest) throw new NoFormula("it is too long");
  const found: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.trimEnd().length) {
    const match = token.exec(text);
    if (match === null) throw new NoFormula("it is no formula");
    const [, number, command, letter, sign] = match;
    found.push(number ?? (command === undefined ? (letter ?? sign ?? "") : `\\${command}`));
  }
  return found;
}

const real = (compute: (x: number) => number) => (value: Real) => inexact(compute(value.approximate));

const functions: Readonly<Record<string, (value: Real) => Real>> = {
  sin: real(Math.sin),
  cos: real(Math.cos),
  tan: real(Math.tan),
  cot: real((x) => 1 / Math.tan(x)),
  sec: real((x) => 1 / Math.cos(x)),
  csc: real((x) => 1 / Math.sin(x)),
  arcsin: real(Math.asin),
  arccos: real(Math.acos),
  arctan: real(Math.atan),
  sinh: real(Math.sinh),
  cosh: real(Math.cosh),
  tanh: real(Math.tanh),
  ln: real(Math.log),
  log: real(Math.log),
  exp: real(Math.exp),
  lg: real(Math.log10),
  sqrt: (value) => root(value, 2),
  cbrt: (value) => root(value, 3),
  abs: (value) => (value.approximate < 0 ? negative(value) : value),
  floor: rounded(Math.floor),
  ceil: rounded(Math.ceil),
};

function rounded(round: (x: number) => number): (value: Real) => Real {
  return ({ exact, approximate }) => {
    if (exact === undefined) return fraction(BigInt(round(approximate)));
    const down = exact[0] / exact[1] - (exact[0] < 0n && exact[0] % exact[1] !== 0n ? 1n : 0n);
    return fraction(round === Math.floor || exact[1] === 1n ? down : down + 1n);
  };
}

const constants: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E };
const closing: Readonly<Record<string, string>> = {
  "(": ")",
  "[": "]",
  "{": "}",
  "|": "|",
  "\\lfloor": "\\rfloor",
  "\\lceil": "\\rceil",
};
const wrapping: Readonly<Record<string, string>> = { "|": "abs", "\\lfloor": "floor", "\\lceil": "ceil" };
const greek = /^\\(?:alpha|beta|gamma|delta|theta|lambda|mu|phi|varphi|omega|sigma|tau|rho|epsilon)$/;
// Whatever these begin is a factor of what stands before them, as in 2\pi or 3(x+1).
const factorStart = /^(?:[\d.].*|[A-Za-z]|[({[]|\\[A-Za-z]+)$/;
const noFactor = new Set([
  "\\cdot",
  "\\times",
  "\\div",
  "\\rfloor",
  "\\rceil",
  "\\pm",
  "\\mp",
  "\\mod",
  "\\le",
  "\\ge",
]);

class Parser {
  readonly #tokens: readonly string[];
  readonly variables = new Set<string>();
  #at = 0;
  #depth = 0;
  #bars = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  whole(): Compute {
    const result = this.#sum();
    if (this.#at < this.#tokens.length) throw new NoFormula(`"${this.#peek()}" does not belong here`);
    return result;
  }

  #peek = (): string => this.#tokens[this.#at] ?? "";

  #take(...wanted: readonly string[]): string | undefined {
    const next = this.#peek();
    if (next === "" || !wanted.includes(next)) return undefined;
    this.#at++;
    return next;
  }

  #expect(wanted: string): void {
    if (this.#take(wanted) === undefined) throw new NoFormula(`"${wanted}" is missing`);
  }

  #sum(): Compute {
    if (++this.#depth > deepest) throw new NoFormula("it is nested too deeply");
    let left = this.#product();
    for (let sign = this.#take("+", "-"); sign !== undefined; sign = this.#take("+", "-")) {
      const [before, right, minus] = [left, this.#product(), sign === "-"];
      left = (known) => plus(before(known), minus ? negative(right(known)) : right(known));
    }
    this.#depth--;
    return left;
  }

  #product(): Compute {
    let left = this.#signed();
    for (;;) {
      const sign = this.#take("*", "/", "\\cdot", "\\times", "\\div");
      if (sign === undefined && !this.#beginsFactor()) return left;
      const over = sign === "/" || sign === "\\div";
      const [before, right] = [left, sign === undefined ? this.#power() : this.#signed()];
      left = (known) => times(before(known), over ? inverse(right(known)) : right(known));
    }
  }

  #beginsFactor(): boolean {
    const next = this.#peek();
    // "1 0" is no product.
    if (/^[\d.]/.test(next) && /^[\d.]/.test(this.#tokens[this.#at - 1] ?? "")) return false;
    return (next === "|" && this.#bars === 0) || (factorStart.test(next) && !noFactor.has(next));
  }

  #signed(): Compute {
    if (this.#take("+") !== undefined) return this.#signed();
    if (this.#take("-") === undefined) return this.#power();
    if (++this.#depth > deepest) throw new NoFormula("it is nested too deeply");
    const inner = this.#signed();
    this.#depth--;
    return (known) => negative(inner(known));
  }

  #power(): Compute {
    let base = this.#atom();
    while (this.#take("!") !== undefined) {
      const before = base;
      base = (known) => factorial(before(known));
    }
    if (this.#take("^") === undefined) return base;
    const [before, exponent] = [base, this.#exponent()];
    return (known) => power(before(known), exponent(known));
  }

  #exponent(): Compute {
    if (++this.#depth > deepest) throw new NoFormula("it is nested too deeply");
    // Without braces, LaTeX's exponent is one sign; as one types it, it goes on: 2^10, 2^-1.
    const exponent = this.#signed();
    this.#depth--;
    return exponent;
  }

  #group(): Compute {
    const open = this.#take("{", "(", "[");
    if (open === undefined) return this.#short();
    const inner = this.#sum();
    this.#expect(closing[open] ?? "");
    return inner;
  }

  /** The argument of a command without braces: `\frac12` is a half. */
  #short(): Compute {
    const next = this.#peek();
    if (!/^\d{2,}$/.test(next)) return this.#atom();
    (this.#tokens as string[]).splice(this.#at, 1, next.slice(0, 1), next.slice(1));
    return this.#atom();
  }

  #atom(): Compute {
    const next = this.#peek();
    if (next === "") throw new NoFormula("something is missing at its end");
    this.#at++;
    if (/^[\d.]/.test(next)) {
      const value = decimal(next);
      return () => value;
    }
    if (Object.hasOwn(closing, next)) return this.#wrapped(next);
    if (next.startsWith("\\")) return this.#command(next.slice(1));
    if (/^[A-Za-z]$/.test(next)) return this.#letter(next);
    throw new NoFormula(`"${next}" does not belong here`);
  }

  #wrapped(open: string): Compute {
    if (open === "|") this.#bars++;
    const inner = this.#sum();
    this.#expect(closing[open] ?? "");
    if (open === "|") this.#bars--;
    const apply = functions[wrapping[open] ?? ""];
    return apply === undefined ? inner : (known) => apply(inner(known));
  }

  #letter(name: string): Compute {
    if (name === "i") throw new NoFormula("complex numbers are not read here");
    const constant = constants[name];
    if (constant !== undefined) return () => inexact(constant);
    this.variables.add(name);
    return (known) => {
      const value = known.get(name);
      if (value === undefined) throw new NoValue(`${name} is not known`);
      return value;
    };
  }

  #command(name: string): Compute {
    if (name === "frac") {
      const [top, bottom] = [this.#group(), this.#group()];
      return (known) => times(top(known), inverse(bottom(known)));
    }
    if (name === "binom") {
      const [n, k] = [this.#group(), this.#group()];
      return (known) => binomial(n(known), k(known));
    }
    if (name === "sqrt") return this.#root();
    if (name === "log" && this.#take("_") !== undefined) return this.#logarithm();
    if (constants[name] !== undefined) return this.#letterNamed(constants[name]);
    if (greek.test(`\\${name}`)) return this.#letter(`\\${name}`);
    const apply = functions[name];
    if (apply === undefined) throw new NoFormula(`\\${name} is not read here`);
    return this.#applied(apply);
  }

  #letterNamed = (value: number): Compute => {
    return () => inexact(value);
  };

  #root(): Compute {
    let degree: Compute = () => fraction(2n);
    if (this.#take("[") !== undefined) {
      degree = this.#sum();
      this.#expect("]");
    }
    const inner = this.#group();
    return (known) => root(inner(known), degree(known).approximate);
  }

  #logarithm(): Compute {
    const [base, inner] = [this.#group(), this.#power()];
    return (known) => inexact(Math.log(inner(known).approximate) / Math.log(base(known).approximate));
  }

  /** `\sin^2 x` is the square of the sine. */
  #applied(apply: (value: Real) => Real): Compute {
    const exponent = this.#take("^") === undefined ? undefined : this.#group();
    const inner = this.#power();
    return exponent === undefined
      ? (known) => apply(inner(known))
      : (known) => power(apply(inner(known)), exponent(known));
  }
}

/** Reads a formula in the form that `tidy` gives. Throws `NoFormula` for what is none, or holds what is not read here. */
export function readExpression(text: string): Expression {
  const parser = new Parser(tokensOf(text));
  const value = parser.whole();
  return { variables: parser.variables, value };
}
