import { folded } from "#kit/domain/folded.ts";
import type { FoundKind } from "#office/desk/search/contract.ts";

/** The searched text, parsed once for all kinds. */
export interface SearchWords {
  /** As typed, trimmed. */
  typed: string;
  /** As names are compared: "Hale, Quinn" becomes "hale quinn". */
  text: string;
  /** Its words with a letter or digit, as typed. */
  words: string[];
  /** The number of a check, receipt, transaction or deposit, or null if it cannot be one. */
  number: { text: string; kind: FoundKind | null } | null;
}

/** Numbers as titles write them: "Check 10442", "receipt no. 12", "#12". */
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

/** How a number with letters may have been written. */
export const spellings = (text: string): string[] => [
  ...new Set([text, text.toLowerCase(), text.toUpperCase()]),
];
