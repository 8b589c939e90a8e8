import { seededRandom } from "#sandboxes/faults.ts";

/** Everything that a round leaves to chance: the same seed chooses the same. */
export interface Chance {
  /** A whole number, both ends included. */
  whole(from: number, to: number): number;
  /** Throws when there is nothing to choose from. */
  oneOf<Thing>(things: readonly Thing[]): Thing;
  /** True so often, from 0 to 1. */
  isIt(share: number): boolean;
  /** Chance of its own for a part that runs beside others: how often those ask does not matter to it. */
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
