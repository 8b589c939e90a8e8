/** NaN for empty text and text that is not a number, which the contract refuses. */
export function parseNumber(typed: string): number {
  return typed.trim() === "" ? NaN : Number(typed);
}
