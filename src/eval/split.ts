import { ConfigError } from "../base/errors.ts";
import { random, subseed, type Random } from "../base/random.ts";

/** The three parts of a task's samples: learned from, tuned on, reported once. */
export const splits = ["train", "dev", "test"] as const;

/** One of `splits`. */
export type Split = (typeof splits)[number];

/** Which samples to take. The same draw gives the same samples; a larger `size` only adds to them. */
export type Draw = {
  readonly split: Split;
  /** At most this many; a task made of a list has no more than the list. */
  readonly size: number;
  /** Decides which samples of the split, and their order. */
  readonly seed: number;
  /** Decides which split a sample belongs to, and nothing else; default 0. Leave it: another value is another partition. */
  readonly splitSeed?: number | undefined;
};

/** The share of each split. Reports need many samples, so `test` is as large as `train`. */
export const shares: Readonly<Record<Split, number>> = { train: 0.4, dev: 0.2, test: 0.4 };

/**
 * The split of the sample with this key. It depends on the key and on nothing that changes between runs, so whatever is
 * drawn from two splits, with any seeds and sizes, has no sample in common.
 */
export function splitOf(key: string, splitSeed = 0): Split {
  const place = random(subseed(splitSeed, `split ${key}`))();
  if (place < shares.train) return "train";
  return place < shares.train + shares.dev ? "dev" : "test";
}

/** Whether the text names a split. */
export const isSplit = (text: string): text is Split => (splits as readonly string[]).includes(text);

/** Throws a `ConfigError` for a split that is none, a size that is no positive whole number, or a seed that is no whole number. */
export function checkDraw({ split, size, seed, splitSeed = 0 }: Draw): void {
  if (!isSplit(split)) throw new ConfigError("split", `must be one of ${splits.join(", ")}; was "${String(split)}"`);
  if (!Number.isSafeInteger(size) || size < 1) {
    throw new ConfigError("size", `must be a whole number of at least 1; was ${size}`);
  }
  if (!Number.isSafeInteger(seed)) throw new ConfigError("seed", `must be a whole number; was ${seed}`);
  if (!Number.isSafeInteger(splitSeed)) throw new ConfigError("splitSeed", `must be a whole number; was ${splitSeed}`);
}

/** The items in an order that depends on the seed and on each item's key alone. */
export function shuffled<T>(items: readonly T[], key: (item: T) => string, seed: number): T[] {
  return items
    .map((item) => ({ item, place: random(subseed(seed, `order ${key(item)}`))() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

/** Items of a list that belong to the split: at most `size`, in the seed's order. Throws a `ConfigError` if there are none. */
export function drawItems<T>(items: readonly T[], key: (item: T) => string, draw: Draw): T[] {
  checkDraw(draw);
  const own = items.filter((item) => splitOf(key(item), draw.splitSeed) === draw.split);
  if (own.length === 0) {
    throw new ConfigError("split", `"${draw.split}" is empty: none of the ${items.length} items belongs to it`);
  }
  return shuffled(own, key, draw.seed).slice(0, draw.size);
}

// A generator that gives nothing new this many times in a row has no more to give.
const patience = 1000;

/**
 * Made samples: generates until `size` different ones belong to the split. What is made decides its split by its key,
 * so equal samples fall into the same split whatever seed made them. Throws a `ConfigError` when there are too few.
 */
export function drawMade<T>(make: (next: Random) => T, key: (made: T) => string, draw: Draw): T[] {
  checkDraw(draw);
  const made = new Map<string, T>();
  let fruitless = 0;
  for (let n = 0; made.size < draw.size; n++) {
    const item = make(random(subseed(draw.seed, `made ${draw.split} ${n}`)));
    const name = key(item);
    if (splitOf(name, draw.splitSeed) === draw.split && !made.has(name)) {
      made.set(name, item);
      fruitless = 0;
    } else if (++fruitless === patience) {
      throw new ConfigError("size", `only ${made.size} different samples can be made with these options`);
    }
  }
  return [...made.values()];
}

/** Sixteen hexadecimal digits that stand for the text: a short id for what was made. */
export function digest(text: string): string {
  const part = (seed: number) => subseed(seed, text).toString(16).padStart(8, "0");
  return part(0x5bd1e995) + part(0x2c1b3c6d);
}
