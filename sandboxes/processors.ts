import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** The five card processors, by their names in a network's settings. */
export const processorNames = ["anet", "stripe", "elavon", "lawpay", "paypal_payflow_pro"] as const;

export type ProcessorName = (typeof processorNames)[number];

export function isProcessorName(name: string): name is ProcessorName {
  return (processorNames as readonly string[]).includes(name);
}

const fieldGen = new URL("./lawpay/fieldGen.js", import.meta.url);
/** The hash of LawPay's script; its vendor publishes one for each version of the real script. */
const fieldGenIntegrity = `sha384-${createHash("sha384").update(readFileSync(fieldGen)).digest("base64")}`;

/** The addresses to configure in the product, instead of the processors' own hosts. */
export function addressesAt(origin: string) {
  return {
    anet: {
      /** Browser: use this address unchanged in a script tag; with a query string Accept.js refuses to work. */
      scriptUrl: `${origin}/anet/v1/Accept.js`,
      /** Server and Accept.js: every call is a POST to this address. */
      apiUrl: `${origin}/anet/xml/v1/request.api`,
    },
    stripe: {
      scriptUrl: `${origin}/stripe/endive/stripe.js`,
      /**
       * Server: host, port and protocol for `new Stripe(key, …)`. Its API has no prefix here, since the SDK
       * supports none.
       */
      apiUrl: origin,
    },
    elavon: {
      scriptUrl: `${origin}/elavon/hosted-payments/Checkout.js`,
      tokenUrl: `${origin}/elavon/hosted-payments/transaction_token`,
      xmlUrl: `${origin}/elavon/VirtualMerchantDemo/processxml.do`,
    },
    lawpay: {
      scriptUrl: `${origin}/lawpay/hostedfields/1.5.3/fieldGen_1.5.3.js`,
      /** Browser: the script's hash, for the tag's `integrity`. */
      scriptIntegrity: fieldGenIntegrity,
      /** Server: `/charges`, `/transactions` and `/merchant` are under it. */
      apiUrl: `${origin}/lawpay/v1`,
    },
    paypal_payflow_pro: {
      /** Browser: where to post the hidden form with the card. */
      postUrl: `${origin}/payflow/link`,
      /** Server: the name-value gateway. */
      apiUrl: `${origin}/payflow/gateway`,
    },
  };
}

export type SandboxAddresses = ReturnType<typeof addressesAt>;
