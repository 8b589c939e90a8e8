import type { Processor } from "#cards/processors/processor.ts";
import { processorLabels } from "#kit/domain/processors.ts";

/** The code that uses Stripe's SDK, eight megabytes in memory: loaded only if a network uses it. */
const sdk = async () => await import("#cards/processors/stripe-sdk.ts");

/** Stripe: its fields turn the card into a PaymentMethod, the server creates and confirms the payment. */
export const stripe: Processor = {
  name: "stripe",
  label: processorLabels.stripe,
  fields: [
    field("publishableKey", "Publishable key", "Begins with pk_", false),
    field("secretKey", "Secret key", "Begins with sk_ or rk_", true),
    {
      ...field("webhookSecret", "Webhook signing secret", "Begins with whsec_", true),
      isRequired: false,
    },
  ],
  // One host for both: the key decides.
  liveAddresses: hosts(),
  testAddresses: hosts(),
  page: ({ keys, addresses }) => {
    const script = new URL(addresses["scriptUrl"] ?? "").origin;
    const isReal = script === "https://js.stripe.com";
    return {
      publicKeys: { publishableKey: keys["publishableKey"] ?? "" },
      clientIds: {},
      scriptUrl: addresses["scriptUrl"] ?? null,
      sources: {
        scripts: [script, ...(isReal ? ["https://*.js.stripe.com"] : [])],
        frames: [
          script,
          ...(isReal ? ["https://*.js.stripe.com", "https://hooks.stripe.com"] : []),
        ],
        forms: [],
        connections: [new URL(addresses["apiUrl"] ?? "").origin],
      },
    };
  },
  checkKeys: async (account) => await (await sdk()).checkKeys(account),
  charge: async (account, wanted) => await (await sdk()).charge(account, wanted),
  lookUp: async (account, sought) => await (await sdk()).lookUp(account, sought),
  // Lists show a new payment immediately; a request still on its way is older than the SDK's time limit.
  missingIsFinalAfterMinutes: 5,
  voidOrRefund: async (account, captured) => await (await sdk()).voidOrRefund(account, captured),
  // "A refund can fail days later": Stripe gives no limit (unconfirmed); card networks take weeks.
  refundsMayFail: {
    forDays: 40,
    why: async (account, captured) => await (await sdk()).whyRefundFailed(account, captured),
  },
  readNotice: async (account, body, headers) => (await sdk()).readNotice(account, body, headers),
};

function field(name: string, label: string, hint: string, isSecret: boolean) {
  return { name, label, hint, isSecret, isRequired: true };
}

function hosts() {
  return {
    scriptUrl: "https://js.stripe.com/endive/stripe.js",
    apiUrl: "https://api.stripe.com",
  };
}
