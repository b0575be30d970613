// One spelling for the many in which a formula is written: LaTeX's spacing and fonts, Unicode, what people type.

const signs: readonly (readonly [RegExp, string])[] = [
  [/[−–—‐]/g, "-"],
  [/[×·∙⋅]|\\ast\b/g, "*"],
  [/÷/g, "/"],
  [/√\s*(\d+|[A-Za-z]\b)/g, "\\sqrt{$1}"],
  [/√/g, "\\sqrt"],
  [/π/g, "\\pi "],
  [/∞/g, "\\infty "],
  [/θ/g, "\\theta "],
  [/°|\^\s*\{?\s*\\circ\s*\}?|\\degrees?\b/g, " degrees "],
  [/½/g, "\\frac{1}{2}"],
  [/¼/g, "\\frac{1}{4}"],
  [/¾/g, "\\frac{3}{4}"],
  [/±/g, "\\pm "],
  [/∪/g, "\\cup "],
  [/≤|<=|\\leqslant\b|\\leq\b/g, "\\le "],
  [/≥|>=|\\geqslant\b|\\geq\b/g, "\\ge "],
  [/\\lt\b/g, "<"],
  [/\\gt\b/g, ">"],
];

const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹";

const spellings: readonly (readonly [RegExp, string])[] = [
  [
    /\\(?:displaystyle|textstyle|left|right|bigg?[lr]?|Bigg?[lr]?|limits|boxed|fbox|hspace|quad|qquad)(?![A-Za-z])/g,
    " ",
  ],
  [/(?<=\d)\\,(?=\d{3}(?!\d))/g, ","],
  [/\\[,;:!> ]|~|\\\\$/g, " "],
  [/\\[dtc]frac(?![A-Za-z])/g, "\\frac"],
  [/\\[dt]binom(?![A-Za-z])/g, "\\binom"],
  [/\\(?:text|textrm|textbf|mathrm|mathbf|mathit|operatorname\*?|mbox)\s*\{([^{}]*)\}/g, " $1 "],
  [/\\lvert|\\rvert|\\vert|\\mid(?![A-Za-z])/g, "|"],
  [/\\lbrace/g, "\\{"],
  [/\\rbrace/g, "\\}"],
  [/\\lbrack/g, "["],
  [/\\rbrack/g, "]"],
  [/\\\$|\$|\\\(|\\\)|\\\[|\\\]/g, " "],
  [/\\%|\\percent\b/g, "%"],
  [/\*\*/g, "^"],
  [/(?<=\d)\{,\}(?=\d{3})/g, ","],
  [
    /(?<![\\A-Za-z])(sqrt|cbrt|sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|ln|log|exp|abs|floor|ceil|pi|binom)(?![a-z])/g,
    "\\$1",
  ],
  [/(?<![\\A-Za-z])(?:infinity|infty|inf)(?![A-Za-z])/g, "\\infty"],
  [/\\(sqrt|cbrt)\s*\(([^()]*)\)/g, "\\$1{$2}"],
  [/(?<![\d.])(\d+)\s*\\frac\s*\{(\d+)\}\s*\{(\d+)\}/g, "($1+\\frac{$2}{$3})"],
  [/(?<![\d./^])(\d+)\s+(\d+)\s*\/\s*(\d+)(?![\d.])/g, "($1+$2/$3)"],
];

/** The text with one spelling for each thing; spaces are single. Its length is bounded by a small multiple of the text's. */
export function tidy(text: string): string {
  let result = text;
  for (const [pattern, replacement] of signs) result = result.replaceAll(pattern, replacement);
  result = result.replaceAll(
    /[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g,
    (found) => `^{${found.replaceAll(/./g, (sign) => String(raised.indexOf(sign)))}}`,
  );
  for (const [pattern, replacement] of spellings) result = result.replaceAll(pattern, replacement);
  return result
    .replaceAll(/\s+/g, " ")
    .replace(/^[\s:=]+/, "")
    .replace(/(?:[\s.;,]|\\\\)+$/, "")
    .trim();
}
