import { folded } from "#kit/domain/folded.ts";

/**
 * How well a name matches what was typed: 0 if each typed word is a whole word of the name, 1 if each begins a
 * word, 2 if each occurs anywhere, null if it does not match. With nothing typed, all names match equally.
 */
export function nameRank(name: string, typed: string): 0 | 1 | 2 | null {
  const words = folded(typed).split(" ").filter(Boolean);
  const text = ` ${folded(name)} `;
  if (words.every((word) => text.includes(` ${word} `))) return 0;
  if (words.every((word) => text.includes(` ${word}`))) return 1;
  return words.every((word) => text.includes(word)) ? 2 : null;
}

/** The items whose name matches, best first. Equal matches keep their order. */
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
