import { integer, pick, type Random } from "../../base/random.ts";

/** Makes a value of one sort. */
export type MakeValue = (next: Random) => string;

const list = (text: string): readonly string[] => text.trim().split(/\s*,\s*/);

const one =
  (text: string): MakeValue =>
  (next) =>
    pick(next, list(text));

/** A whole number from `low` to `high` in steps, with its unit. */
export const amount =
  (unit: string, [low, high, step = 1]: readonly [low: number, high: number, step?: number]): MakeValue =>
  (next) => {
    const number = low + step * integer(next, 0, Math.floor((high - low) / step));
    return unit === "" ? String(number) : `${number} ${unit}`;
  };

/** A time of day on a five-minute grid, on a 24-hour clock. */
export const time =
  (from: number, to: number): MakeValue =>
  (next) =>
    `${integer(next, from, to - 1)}:${String(5 * integer(next, 0, 11)).padStart(2, "0")}`;

const months = list("January, February, March, April, June, July, August, September, October, November, December");

export const date: MakeValue = (next) => `${integer(next, 1, 28)} ${pick(next, months)}`;

const days = list("Monday, Tuesday, Wednesday, Thursday, Friday, Saturday");

export const halfDay: MakeValue = (next) => `${pick(next, days)} ${pick(next, ["morning", "afternoon", "evening"])}`;

export const person = one(`
  Amara, Bogdan, Chiara, Dmitri, Elif, Farid, Greta, Hiroshi, Ingrid, Jamal, Keiko, Lorenzo, Mirela, Nadia, Oskar, Priya,
  Quentin, Rosalind, Stefan, Tamsin, Ulrich, Valeria, Wanda, Ximena, Yusuf, Zofia, Anselm, Birgit, Cedric, Dolores, Emeka,
  Fatima, Gustav, Helena, Ivana, Joaquin, Katya, Leopold, Malika, Nikolai, Ottilie, Pascal, Ramona, Sanjay, Theodora,
  Umberto, Veronika, Wilhelm, Yolanda, Zacharias`);

export const city = one(`
  Lisbon, Oslo, Krakow, Nairobi, Lima, Hanoi, Toronto, Cairo, Dublin, Quito, Seoul, Vienna, Tbilisi, Havana, Riga, Accra,
  Perth, Bergen, Porto, Zagreb, Montevideo, Osaka, Ghent, Tunis`);

export const color = one(
  "red, blue, green, yellow, purple, brown, white, black, pink, gray, turquoise, beige, violet, crimson",
);

export const dish = one(`
  lentil soup, mushroom risotto, vegetable curry, tomato salad, potato pie, fish stew, bean burritos, spinach lasagna,
  noodle soup, grilled trout, chickpea stew, pumpkin soup`);

export const hidingPlace = one(`
  under the flower pot, behind the mailbox, in the tool shed, on the window sill, inside the old boot, under the doormat,
  above the lamp, in the bread box, behind the rain barrel, beneath the bench, in the umbrella stand, on the fuse box`);

export const pet = one(
  "Biscuit, Rocket, Pepper, Waffles, Ziggy, Mango, Noodle, Pickles, Domino, Truffle, Comet, Bramble",
);

export const country = one(
  "Portugal, Norway, Kenya, Vietnam, Chile, Poland, Canada, Japan, Morocco, Iceland, Peru, Greece",
);

export const language = one(`
  Spanish, Dutch, Arabic, Korean, Swahili, Italian, Hungarian, Turkish, Hindi, Danish, Czech, Finnish`);

export const prize = one(`
  a bicycle, a telescope, a tea set, a cookbook, a gift card, a chess board, a camera, a hammock, a pocket knife,
  a silver cup, a wall clock, a record player`);

export const instrument = one(
  "cello, trumpet, harp, banjo, flute, accordion, clarinet, violin, drums, oboe, ukulele, tuba",
);

export const serverName = one(
  "Juniper, Falcon, Granite, Mistral, Sparrow, Cobalt, Walnut, Lantern, Harbor, Cactus, Meteor, Otter",
);

export const tree = one("birch, maple, willow, cedar, chestnut, poplar, larch, spruce, cypress, beech, hazel, linden");

/** A letter or two and digits: `K7391`. */
export const code =
  (letters: number, digits: number): MakeValue =>
  (next) => {
    const draw = (from: string, count: number) =>
      Array.from({ length: count }, () => pick(next, Array.from(from))).join("");
    return draw("BCDFGHJKLMNPQRSTVWXZ", letters) + draw("123456789", 1) + draw("0123456789", digits - 1);
  };

/** Other ways to write a time: with a leading zero, or on a 12-hour clock. */
export function timeForms(value: string): string[] {
  const [hour = "", minute = ""] = value.split(":");
  const [twelve, half] = [((Number(hour) + 11) % 12) + 1, Number(hour) < 12 ? "am" : "pm"];
  const dotted = half === "am" ? "a.m." : "p.m.";
  return [
    `0${hour}:${minute}`,
    `${twelve}:${minute} ${half}`,
    `${twelve}:${minute}${half}`,
    `${twelve}:${minute} ${dotted}`,
  ];
}

/** Other ways to write a date: month first, or with an ordinal. */
export function dateForms(value: string): string[] {
  const [day = "", month = ""] = value.split(" ");
  const teen = Number(day) > 10 && Number(day) < 20;
  const nth = day + ((teen ? undefined : ["th", "st", "nd", "rd"][Number(day) % 10]) ?? "th");
  return [`${month} ${day}`, `${nth} ${month}`, `${month} ${nth}`, `${nth} of ${month}`];
}

const short: Readonly<Record<string, string>> = {
  euros: "EUR",
  kilograms: "kg",
  kilometers: "km",
  meters: "m",
  grams: "g",
  minutes: "min",
  degrees: "C",
};

/** Other ways to write an amount: the number alone, or with the unit's short form. */
export function amountForms(value: string): string[] {
  const [number = "", unit = ""] = value.split(" ");
  const mark = short[unit];
  if (mark === undefined) return [number];
  return [number, `${number} ${mark}`, `${number}${mark}`, `${mark} ${number}`, `${number} ${unit} ${mark}`];
}
