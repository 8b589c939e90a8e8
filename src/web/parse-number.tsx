/** NaN for text that is no number and for none at all, which the contract refuses. */
export function numberIn(typed: string): number {
  return typed.trim() === "" ? NaN : Number(typed);
}
