import type { Io } from "./io.ts";
import { clip } from "./printable.ts";

export type Status = {
  /** Says what goes on, over what was said before. */
  readonly show: (text: string) => void;
  /** Leaves nothing behind. */
  readonly clear: () => void;
};

/** A line on stderr that says what goes on; only on a terminal. */
export function statusOn({ stderr }: Pick<Io, "stderr">): Status {
  if (stderr.isTTY !== true) return { show: () => {}, clear: () => {} };
  return {
    show: (text) => void stderr.write(`\r\u001b[K${clip(text, (stderr.columns ?? 80) - 1)}`),
    clear: () => void stderr.write("\r\u001b[K"),
  };
}
