// What an experiment or a lesson came to, as data: the same findings are written as Markdown, as a page and as JSON lines.

/** A value on an axis: a number, or the name of a category. */
export type Place = number | string;

/** One value with its 95 % interval, where it has one. */
export type Point = {
  readonly x: Place;
  readonly y: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  /** Written beside the point. */
  readonly label?: string | undefined;
};

/** Points of one kind, in order. `published`: they are another's numbers and not of this run. */
export type Series = { readonly name: string; readonly points: readonly Point[]; readonly published?: boolean };

/** An axis: what it says, unit included, and whether its scale is logarithmic. */
export type Axis = { readonly label: string; readonly log?: boolean };

/** A picture of findings, as data. */
export type Figure = {
  readonly kind: "line" | "scatter" | "bar";
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
};

/** Cells are text as it shall be shown; null: nothing was measured. */
export type Table = {
  readonly title?: string | undefined;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
};

/** Paragraphs, then tables, then figures. */
export type Section = {
  readonly title: string;
  readonly text?: readonly string[] | undefined;
  readonly tables?: readonly Table[] | undefined;
  readonly figures?: readonly Figure[] | undefined;
};

/** A report as data: its sections with texts, tables and figures. */
export type Findings = {
  readonly title: string;
  /** Words or times come from a simulated model: every page, table and figure says so. */
  readonly simulated: boolean;
  /** The command that makes them again. */
  readonly command: string;
  /** Models, versions, seeds, dates: what a reader needs to trust them. */
  readonly provenance: Readonly<Record<string, string | number>>;
  readonly sections: readonly Section[];
};
