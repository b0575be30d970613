/** Rows as JSON lines, the form in which data sets are passed around. */
export const lines = (rows: readonly object[]): { readonly format: "jsonl"; readonly text: string } => ({
  format: "jsonl",
  text: rows.map((row) => JSON.stringify(row)).join("\n"),
});
