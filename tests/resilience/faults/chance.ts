import { seededRandom } from "#sandboxes/faults.ts";

/** All random choices of a round: the same seed makes the same ones. */
export interface Chance {
  /** A whole number, both ends included. */
  whole(from: number, to: number): number;
  /** Throws if there is nothing to choose from. */
  oneOf<Thing>(things: readonly Thing[]): Thing;
  /** True with this probability, from 0 to 1. */
  isIt(share: number): boolean;
  /** A generator of its own for a concurrent part, so that the order of their calls does not matter. */
  apart(): Chance;
}

export function chanceOf(seed: number): Chance {
  const random = seededRandom(seed);
  const whole = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  return {
    whole,
    oneOf: (things) => {
      const chosen = things[whole(0, things.length - 1)];
      if (chosen === undefined) throw new RangeError("There is nothing to choose from.");
      return chosen;
    },
    isIt: (share) => random() < share,
    apart: () => chanceOf(whole(0, 2 ** 31)),
  };
}
