/* Cleans processors' texts for people and logs, and people's input for processors. */

/** Hide anything that could be a card number: twelve or more digits in a row, however spaced. */
export function withoutCardNumbers(text: string): string {
  return text.replaceAll(/\d(?:[ .-]?\d){11,}/g, "••••");
}

/** A processor's text as one sentence of limited length; `fallback` if it said nothing. */
export function sentence(text: string, fallback: string): string {
  const plain = withoutCardNumbers(text.replaceAll(/[\p{Cc}<>]+/gu, " "))
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, 300);
  if (!plain) return fallback;
  const begun = plain[0]?.toUpperCase() + plain.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

export const neverCollected = "The sale failed at settlement, so nothing was collected.";
export const onlyPartApproved =
  "The bank approved only part of the amount. Nothing was charged. Use another card, or pay by check.";
export const declinedByBank = "The card was declined. Try another card, or ask your bank.";

/** The message to a payer when the network's account is at fault, not the card. */
export const notAvailable =
  "Card payments are not available right now. Nothing was charged. Please pay by check or try again later.";

/**
 * A name or an address for a processor that counts its fields in bytes or refuses some characters:
 * printable ASCII without accents, quotation marks and the special characters of XML and name-value lists.
 */
export function asciiOf(text: string, max: number): string {
  const ascii = text
    .normalize("NFKD")
    .replaceAll(/[^\x20-\x7e]|["&<>=]/g, "")
    .trim();
  return ascii.slice(0, max);
}

export const zipOf = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, "").slice(0, 9);
