import type { ProcessorName } from "./processors.ts";

/**
 * What to type to see an outcome. Cards take any code and any future expiry, unless the table says
 * otherwise.
 */
export interface TestValue {
  outcome: string;
  values: Partial<Record<ProcessorName, string>>;
}

const everywhere = (text: string): Record<ProcessorName, string> => ({
  anet: text,
  stripe: text,
  elavon: text,
  lawpay: text,
  paypal_payflow_pro: text,
});

/** Shown on the page at `/` and in docs/sandboxes.md: a test compares them. */
export const testValues: TestValue[] = [
  { outcome: "A payment that succeeds", values: everywhere("5105 1051 0510 5100") },
  { outcome: "A decline", values: everywhere("4000 0000 0000 9995") },
  {
    outcome: "A decline at tokenising, not at the charge",
    values: { stripe: "5454 5454 5454 5454" },
  },
  {
    outcome: "An expired card",
    values: {
      ...everywhere("4000 0000 0000 0069"),
      elavon: "an amount ending in .54",
      paypal_payflow_pro: "$1,024.00",
    },
  },
  {
    outcome: "A wrong card code",
    values: {
      anet: "the code 901",
      stripe: "4000 0000 0000 0127",
      elavon: "an amount ending in .14",
      lawpay: "4000 0000 0000 0101, approved",
      paypal_payflow_pro: "$1,114.00",
    },
  },
  {
    outcome: "A processor error",
    values: {
      ...everywhere("4000 0000 0000 0119"),
      elavon: "an amount ending in .96",
      paypal_payflow_pro: "$1,104.00",
    },
  },
  {
    outcome: "Money taken, but no answer",
    values: { ...everywhere("fault drop-after"), elavon: "an amount ending in .97" },
  },
  {
    outcome: "A charge held for review",
    values: {
      anet: "4000 0000 0000 0259",
      lawpay: "4000 0000 0000 0259",
      paypal_payflow_pro: "4000 0000 0000 0259",
    },
  },
  { outcome: "A challenge by the payer's bank", values: { stripe: "4000 0000 0000 3220" } },
  { outcome: "Money taken, but no callback", values: { elavon: "an amount ending in .91" } },
  {
    outcome: "A partial approval",
    values: {
      anet: "4000 0000 0000 1240",
      elavon: "an amount ending in .65",
      lawpay: "4000 0000 0000 1240",
    },
  },
  {
    outcome: "Approved, but refused by the account's own rules",
    values: { elavon: "an amount ending in .81" },
  },
  {
    outcome: "A limit exceeded",
    values: {
      elavon: "an amount ending in .61",
      lawpay: "4000 0000 0000 0051",
      paypal_payflow_pro: "$1,051.00",
    },
  },
];
