import type { ProcessorName } from "./processors.ts";

/** What to type to see an outcome. Cards take any code and any expiry to come, unless said otherwise. */
export interface TestValue {
  see: string;
  by: Partial<Record<ProcessorName, string>>;
}

const everywhere = (text: string): Record<ProcessorName, string> => ({
  anet: text,
  stripe: text,
  elavon: text,
  lawpay: text,
  paypal_payflow_pro: text,
});

/** The page at `/` shows this table, and so does docs/sandboxes.md: a test compares them. */
export const testValues: TestValue[] = [
  { see: "A payment that succeeds", by: everywhere("5105 1051 0510 5100") },
  { see: "A decline", by: everywhere("4000 0000 0000 9995") },
  { see: "A decline at tokenising, not at the charge", by: { stripe: "5454 5454 5454 5454" } },
  {
    see: "An expired card",
    by: {
      ...everywhere("4000 0000 0000 0069"),
      elavon: "an amount ending in .54",
      paypal_payflow_pro: "$1,024.00",
    },
  },
  {
    see: "A wrong card code",
    by: {
      anet: "the code 901",
      stripe: "4000 0000 0000 0127",
      elavon: "an amount ending in .14",
      lawpay: "4000 0000 0000 0101, approved",
      paypal_payflow_pro: "$1,114.00",
    },
  },
  {
    see: "An error of the processor",
    by: {
      ...everywhere("4000 0000 0000 0119"),
      elavon: "an amount ending in .96",
      paypal_payflow_pro: "$1,104.00",
    },
  },
  {
    see: "Money taken, and no answer",
    by: { ...everywhere("fault drop-after"), elavon: "an amount ending in .97" },
  },
  {
    see: "A charge that waits for a person",
    by: {
      anet: "4000 0000 0000 0259",
      lawpay: "4000 0000 0000 0259",
      paypal_payflow_pro: "4000 0000 0000 0259",
    },
  },
  { see: "A challenge of the payer's bank", by: { stripe: "4000 0000 0000 3220" } },
  { see: "Money taken, and no callback", by: { elavon: "an amount ending in .91" } },
  {
    see: "Only a part approved",
    by: {
      anet: "4000 0000 0000 1240",
      elavon: "an amount ending in .65",
      lawpay: "4000 0000 0000 1240",
    },
  },
  {
    see: "Approved, but refused by the account's own rules",
    by: { elavon: "an amount ending in .81" },
  },
  {
    see: "A limit exceeded",
    by: {
      elavon: "an amount ending in .61",
      lawpay: "4000 0000 0000 0051",
      paypal_payflow_pro: "$1,051.00",
    },
  },
];
