import type { Receipt } from "./shapes.ts";

/** "Visa ending in 1111", "Card", "Check 1042". */
export function methodWords({
  method,
  card,
  checkNumber,
}: Pick<Receipt, "method" | "card" | "checkNumber">): string {
  if (method === "check") return `Check ${checkNumber ?? ""}`;
  const brand = card?.brand || "Card";
  return card?.lastFour ? `${brand} ending in ${card.lastFour}` : brand;
}
