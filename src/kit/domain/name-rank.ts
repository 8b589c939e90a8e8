import { folded } from "#kit/domain/folded.ts";

/**
 * How well a name matches what was typed: 0 where each word is a whole word of it, 1 where each begins one, 2 where
 * each stands anywhere in it, null where it does not match. All names match nothing typed, equally well.
 */
export function nameRank(name: string, typed: string): 0 | 1 | 2 | null {
  const words = folded(typed).split(" ").filter(Boolean);
  const text = ` ${folded(name)} `;
  if (words.every((word) => text.includes(` ${word} `))) return 0;
  if (words.every((word) => text.includes(` ${word}`))) return 1;
  return words.every((word) => text.includes(word)) ? 2 : null;
}

/** Those whose name matches, the best first; those that match equally well keep their order. */
export function byNameRank<One>(
  all: readonly One[],
  nameOf: (one: One) => string,
  typed: string,
): One[] {
  return all
    .map((one) => ({ one, rank: nameRank(nameOf(one), typed) }))
    .filter(({ rank }) => rank !== null)
    .toSorted((a, b) => Number(a.rank) - Number(b.rank))
    .map(({ one }) => one);
}
