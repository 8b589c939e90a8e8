/** Pseudorandom numbers from 0 up to 1, the same for the same seed (mulberry32). */
export type Random = () => number;

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of several, with equal probability. */
export function pickRandom<Thing>(random: Random, things: readonly [Thing, ...Thing[]]): Thing {
  return things[Math.floor(random() * things.length)] ?? things[0];
}

/** A whole number from `min` to `max`. */
export function randomInteger(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}
