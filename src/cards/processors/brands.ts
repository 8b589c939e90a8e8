/** By the letters of the processor's name: "visa", "MC", "AMERICAN_EXPRESS", "DinersClub". */
const names: Record<string, string> = {
  visa: "Visa",
  mastercard: "Mastercard",
  mc: "Mastercard",
  amex: "American Express",
  americanexpress: "American Express",
  discover: "Discover",
  disc: "Discover",
  diners: "Diners Club",
  dinersclub: "Diners Club",
  jcb: "JCB",
  unionpay: "UnionPay",
};

/** A card's brand for people; an unknown one stays as the processor writes it. */
export function brandName(brand: string): string {
  return names[brand.toLowerCase().replaceAll(/[^a-z]/g, "")] ?? brand.slice(0, 40);
}
