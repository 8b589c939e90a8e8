import type { z } from "zod";
import type { Sandboxes } from "#sandboxes/start.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { elavonSessionToken, payflowSecureToken } from "#cards/contract.ts";
import type { Visitor } from "#tests/support/visitor.ts";

/*
 * A payer's browser at each processor before our server learns of a card: over the wire, as the processors'
 * scripts do it. Returns the token that the browser then sends us.
 */

/** The default time a browser waits for a processor before its payer gives up, in milliseconds. */
const timeoutMs = 30_000;

export interface TestCard {
  number: string;
  /** `MM/YY` */
  expires: string;
  code: string;
}

const approvedThere: Record<ProcessorName, string> = {
  anet: "4111111111111111",
  stripe: "4242424242424242",
  lawpay: "4242424242424242",
  elavon: "4124939999999990",
  paypal_payflow_pro: "4111111111111111",
};

/** True if the browser itself charges the card there, before our server learns of a payment. */
export const isChargedInBrowser = (processor: ProcessorName) =>
  processor === "elavon" || processor === "paypal_payflow_pro";

/** A card that the processor's sandbox approves, or one with another number. */
export const cardOf = (processor: ProcessorName, number?: string): TestCard => ({
  number: number ?? approvedThere[processor],
  expires: "12/39",
  code: "123",
});

export interface Shown {
  visitor: Visitor;
  sandboxes: Sandboxes;
  /** In dollars: the amount of a charge made by the browser. */
  amount: string;
  card?: TestCard;
  givesUpAfterMs?: number;
}

/** Show a card to the processor. Throws if the processor gives no token for it. */
export async function tokenFrom(processor: ProcessorName, shown: Shown): Promise<string> {
  const card = shown.card ?? cardOf(processor);
  return await showCard[processor]({ ...shown, card });
}

type Showing = Shown & { card: TestCard };

const showCard: Record<ProcessorName, (shown: Showing) => Promise<string>> = {
  anet: anetToken,

  stripe: async ({ sandboxes, card, givesUpAfterMs = timeoutMs }) => {
    const [month = "", year = ""] = card.expires.split("/");
    const answer = await fetch(`${sandboxes.addresses.stripe.apiUrl}/v1/payment_methods`, {
      method: "POST",
      signal: AbortSignal.timeout(givesUpAfterMs),
      body: new URLSearchParams({
        key: sandboxes.accounts.stripe.publishableKey,
        type: "card",
        "card[number]": card.number,
        "card[exp_month]": month,
        "card[exp_year]": `20${year}`,
        "card[cvc]": card.code,
      }),
    });
    return textOf(await answer.json(), "id");
  },

  lawpay: async ({ sandboxes, card, givesUpAfterMs = timeoutMs }) => {
    const [month = "", year = ""] = card.expires.split("/");
    const answer = await fetch(`${sandboxes.addresses.lawpay.apiUrl}/tokens`, {
      method: "POST",
      signal: AbortSignal.timeout(givesUpAfterMs),
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        public_key: sandboxes.accounts.lawpay.publicKey,
        number: card.number,
        exp_month: month,
        exp_year: `20${year}`,
        cvv: card.code,
      }),
    });
    return textOf(await answer.json(), "id");
  },

  elavon: async ({ visitor, sandboxes, card, amount, givesUpAfterMs }) => {
    const query = {
      first_name: "Grace",
      last_name: "Hopper",
      address: "1 Court",
      zip: "10001",
      amount,
    };
    const reply = await visitor.send("GET", `/elavon/session_token?${new URLSearchParams(query)}`);
    const session = elavonSessionToken.object.parse(JSON.parse(reply.text));
    if (!session.token) throw new Error(`${reply.status}: ${session.message}`);
    return await elavonPay(sandboxes, session.token, card, givesUpAfterMs);
  },

  paypal_payflow_pro: payflowToken,
};

/**
 * A form posted to PayPal in a frame: it charges the amount, or verifies the card if there is none, as in the
 * published call. A frame that shows no answer tells the page nothing: our server is asked.
 */
export async function payflowToken({
  visitor,
  card,
  amount,
  givesUpAfterMs,
}: Pick<Showing, "visitor" | "card" | "givesUpAfterMs"> & { amount?: string }): Promise<string> {
  const session = await visitor.call(
    payflowSecureToken,
    amount === undefined ? {} : { body: { amount } },
  );
  await postToPayflow(session, card, givesUpAfterMs).catch(() => undefined);
  return session.secureTokenId;
}

export async function postToPayflow(
  session: z.output<typeof payflowSecureToken.object>,
  card: TestCard,
  givesUpAfterMs = timeoutMs,
): Promise<string> {
  const answer = await fetch(session.postUrl, {
    method: "POST",
    signal: AbortSignal.timeout(givesUpAfterMs),
    body: new URLSearchParams({
      SECURETOKEN: session.secureToken,
      SECURETOKENID: session.secureTokenId,
      ACCT: card.number,
      EXPDATE: card.expires.replace("/", ""),
      CSC: card.code,
      TENDER: "C",
    }),
  });
  return await answer.text();
}

/** Accept.js: the browser sends the card to Authorize.Net and gets a token for it. */
export async function anetToken({
  sandboxes,
  card,
  givesUpAfterMs = timeoutMs,
}: Pick<Showing, "sandboxes" | "card" | "givesUpAfterMs">): Promise<string> {
  const { apiLoginId, clientKey } = sandboxes.accounts.anet;
  const [month = "", year = ""] = card.expires.split("/");
  const answer = await fetch(sandboxes.addresses.anet.apiUrl, {
    method: "POST",
    signal: AbortSignal.timeout(givesUpAfterMs),
    headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify({
      securePaymentContainerRequest: {
        merchantAuthentication: { name: apiLoginId, clientKey },
        data: {
          type: "TOKEN",
          id: crypto.randomUUID(),
          token: {
            cardNumber: card.number,
            expirationDate: `${month}20${year}`,
            cardCode: card.code,
          },
        },
      },
    }),
  });
  return textOf(await answer.json(), "opaqueData", "dataValue");
}

/** The browser's own charge, as Checkout.js makes it; a declined one has a transaction id too. */
export async function elavonPay(
  sandboxes: Sandboxes,
  token: string,
  card: TestCard,
  givesUpAfterMs = timeoutMs,
): Promise<string> {
  const answer = await fetch(new URL("sale", sandboxes.addresses.elavon.scriptUrl), {
    method: "POST",
    signal: AbortSignal.timeout(givesUpAfterMs),
    body: new URLSearchParams({
      ssl_txn_auth_token: token,
      ssl_card_number: card.number,
      ssl_exp_date: card.expires.replace("/", ""),
      ssl_cvv2cvc2: card.code,
    }),
  });
  return textOf(await answer.json(), "value", "ssl_txn_id");
}

function textOf(answer: unknown, ...path: string[]): string {
  let found = answer;
  for (const step of path) found = (found as Record<string, unknown> | null)?.[step];
  if (typeof found !== "string" || !found) throw new Error(`No token: ${JSON.stringify(answer)}`);
  return found;
}
