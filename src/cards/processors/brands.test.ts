import { expect, test } from "vitest";
import { brandName } from "#cards/processors/brands.ts";

test.each([
  ["visa", "Visa"], // Stripe
  ["VISA", "Visa"], // LawPay, Elavon
  ["MC", "Mastercard"],
  ["MasterCard", "Mastercard"], // Authorize.Net
  ["AMERICAN EXPRESS", "American Express"],
  ["AmericanExpress", "American Express"],
  ["Amex", "American Express"],
  ["DISC", "Discover"],
  ["Diners Club", "Diners Club"],
  ["JCB", "JCB"],
  ["Elo", "Elo"],
  ["", ""],
])("a processor's %j is shown as %j", (brand, name) => {
  expect(brandName(brand)).toBe(name);
});
