/** A seeded source of numbers in [0, 1). The same seed gives the same numbers on every machine. */
export type Random = () => number;

/** sfc32, seeded through splitmix32 so that neighbouring seeds do not resemble each other. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    let z = state ^ (state >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return (z ^ (z >>> 15)) | 0;
  };
  let [a, b, c, counter] = [next(), next(), next(), 1];
  return () => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    c |= 0;
    return (t >>> 0) / 4294967296;
  };
}

/** An integer in [low, high], both ends included. */
export const integer = (next: Random, low: number, high: number): number => low + Math.floor(next() * (high - low + 1));

/** One of `items`. */
export function pick<T>(next: Random, items: readonly T[]): T {
  const item = items[integer(next, 0, items.length - 1)];
  if (item === undefined) throw new RangeError("nothing to pick from");
  return item;
}

/** A standard normal number (Box and Muller). */
export const normal = (next: Random): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());

/** A seed of its own for `label` under `seed`, so that parts of a run can be drawn independently of each other's order. */
export function subseed(seed: number, label: string): number {
  let hash = seed | 0;
  for (let i = 0; i < label.length; i++) hash = (Math.imul(hash ^ label.charCodeAt(i), 0x01000193) + 0x9e3779b9) | 0;
  return hash >>> 0;
}
