/** NaN for text that is no number and for empty text, which the contract refuses. */
export function parseNumber(typed: string): number {
  return typed.trim() === "" ? NaN : Number(typed);
}
