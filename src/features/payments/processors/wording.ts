/*
 * What processors say, made fit for people and for logs.
 */

/** Hide anything that could be a card number: runs of twelve and more digits, however spaced. */
export function withoutCardNumbers(text: string): string {
  return text.replaceAll(/\d(?:[ .-]?\d){11,}/g, "••••");
}

/** A processor's text as one bounded sentence; `fallback` when it said nothing. */
export function sentence(text: string, fallback: string): string {
  const plain = withoutCardNumbers(text.replaceAll(/[\p{Cc}<>]+/gu, " "))
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, 300);
  if (!plain) return fallback;
  const begun = plain[0]?.toUpperCase() + plain.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

export const declinedByBank = "The card was declined. Try another card, or ask your bank.";

/** What a payer reads when the fault lies with the network's account, not with the card. */
export const notAvailable =
  "Card payments are not available right now. Nothing was charged; please pay by check or try again later.";
