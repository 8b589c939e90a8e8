import { folded } from "#kit/domain/folded.ts";
import type { FoundKind } from "#office/desk/search/contract.ts";

/** What was typed into a search, read once for everything that is looked for. */
export interface SearchWords {
  /** As it was typed, without blanks around it. */
  typed: string;
  /** As names are compared: "Hale, Quinn" is looked for as "hale quinn". */
  text: string;
  /** The words of it that have a letter or a digit, as they were typed. */
  words: string[];
  /** It as a number of a check, receipt, transaction or deposit; null where it can be none. */
  number: { text: string; kind: FoundKind | null } | null;
}

/** Numbers as the product's titles write them: "Check 10442", "receipt no. 12", "#12". */
const numberPattern =
  /^(?:(check|receipt|transaction|deposit)\s+)?(?:(?:number|no\.?|#)\s*)?((?=\D*\d)[\w.-]+|[A-Za-z-]{2,32})$/i;

export function searchWords(typed: string): SearchWords {
  const [, kind, number] = numberPattern.exec(typed.trim()) ?? [];
  return {
    typed: typed.trim(),
    text: folded(typed),
    words: typed.split(/[\s,]+/).filter((word) => /[\p{L}\p{N}]/u.test(folded(word))),
    number:
      number === undefined
        ? null
        : { text: number, kind: (kind?.toLowerCase() as FoundKind | undefined) ?? null }, // one of the pattern's
  };
}

/** How something with letters may have been written down. */
export const spellings = (text: string): string[] => [
  ...new Set([text, text.toLowerCase(), text.toUpperCase()]),
];
