import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import {
  Day,
  Dollars,
  exactLine,
  Id,
  IdText,
  line,
  refuseCardNumber,
  Note,
} from "#kit/contract/fields.ts";
import { PageQuery, pageOf } from "#kit/contract/page.ts";
import { requiredMessage } from "#kit/contract/validation-messages.ts";
import { Attorney } from "#people/contract.ts";
import {
  Brandmark,
  CardPayment,
  CardPaymentState,
  CardSettings,
  HeldCharge,
  ProcessorName,
  RefundState,
} from "#cards/shapes.ts";
import { PaymentHash } from "#payments/contract.ts";

const neverACardNumber = "must be the token from the card processor, never a card number";

/** The processor's token for a card entered in the browser. Card numbers are refused. */
const Token = z
  .string()
  .max(4000, { error: "must be the token from the card processor", abort: true })
  .check(refuseCardNumber(neverACardNumber))
  .regex(/^[\x21-\x7e]+$/, "must be the token from the card processor")
  .refine((token) => !/^\d{12,19}$/.test(token.replaceAll(/[-.]/g, "")), neverACardNumber);

/**
 * The payer's name for one payment. Sending the same name again returns the first result, whatever the
 * token, unless that card was declined: a reopened dialog cannot pay twice.
 */
const paymentName = z
  .string()
  .regex(/^[\w:.-]{1,100}$/, "must be 1 to 100 letters, digits or any of _ : . -")
  .optional();

const CardPaid = z.strictObject({
  payment_hash: PaymentHash,
  /**
   * stripe: the PaymentMethod's id; anet: opaqueData.dataValue; lawpay: the token's id; elavon: the
   * transaction id (ssl_txn_id); paypal_payflow_pro: the secureTokenId.
   */
  token: Token,
  idempotency_key: paymentName,
});
export type CardPaid = z.output<typeof CardPaid>;

/** Declined: 422. Outcome not known yet: 202 with a message; the same request again checks again. */
export const payByCard = endpoint({
  method: "POST",
  path: "/lrs_subscription_online_payments/",
  movesMoney: true,
  summary: "Pay debits by card: charged once, however often the same token is sent",
  body: CardPaid,
  object: Attorney,
});

/**
 * For a payment answered with 202: the confirmation that the payer's bank wants, such as a Stripe client
 * secret.
 */
export const showChallenge = endpoint({
  method: "POST",
  path: "/lrs_subscription_online_payments/challenge",
  summary: "The confirmation that the payer's bank wants for the payment made with a token, if any",
  /** An earlier token may have made the payment under the same name, and its answer was lost. */
  body: z.strictObject({ token: Token, idempotency_key: paymentName }),
  object: z.object({ challenge: z.string().nullable() }),
});

const payer = {
  first_name: line(100).default(""),
  last_name: line(100).default(""),
  address: line(200).default(""),
  zip: line(20).default(""),
};

/** Answers without an envelope (spec §7). */
export const elavonSessionToken = endpoint({
  method: "GET",
  path: "/elavon/session_token",
  summary: "A single-use session for charging a card from the browser (elavon)",
  /** 409 if the payment of this name went through: no session is opened. */
  query: z.object({ ...payer, amount: Dollars, idempotency_key: paymentName }),
  object: z.object({
    success: z.boolean(),
    token: z.string().nullable(),
    message: z.string().nullable(),
  }),
});
export type SessionWanted = z.output<(typeof elavonSessionToken)["query"]>;

export const payflowSecureToken = endpoint({
  method: "POST",
  path: "/payflow/secure_token",
  summary: "A single-use secure token for posting a card to PayPal (paypal_payflow_pro)",
  /**
   * With an amount, PayPal charges the card when it is posted, and we verify the payment afterwards.
   * Without an amount, PayPal only verifies the card, and we charge it by a reference transaction; PayPal
   * refuses those until the network's account allows them. 409 if the payment of this name went through.
   */
  body: z.strictObject({ amount: Dollars.optional(), idempotency_key: paymentName }),
  object: z.object({
    secureToken: z.string(),
    secureTokenId: z.string(),
    /** Where to post the hidden form with SECURETOKEN, SECURETOKENID, ACCT, EXPDATE and CSC. */
    postUrl: z.string(),
    mode: z.enum(["live", "test"]),
  }),
});

export type SecureTokenWanted = z.output<(typeof payflowSecureToken)["body"]>;

/** The settings of the pay form; `paymentProcessor` is null if the network takes no cards. */
export const dashboardSettings = endpoint({
  method: "GET",
  path: "/dashboard_settings",
  summary: "How the attorney's network takes cards",
  object: z.object({
    paymentProcessor: ProcessorName.nullable(),
    publicKeys: z.record(z.string(), z.string()),
    clientIds: z.record(z.string(), z.string()),
    livePayments: z.boolean(),
    brandmarks: z.array(Brandmark),
    scriptUrl: z.string().nullable(),
    /** For the script's `integrity`, if its vendor publishes a hash. */
    scriptIntegrity: z.string().nullable(),
  }),
});

export const showCardSettings = endpoint({
  method: "GET",
  path: "/legal_networks/card_settings",
  summary: "How the network takes cards; secrets are never shown",
  object: CardSettings,
});

const CardSettingsChange = z.strictObject({
  /** The version that was shown: 409 if somebody has saved another since. */
  version: Id.nullish(),
  payment_processor: ProcessorName,
  live_payments: z.boolean().default(false),
  sandbox: z.boolean().default(false),
  brandmarks: z.array(Brandmark).max(6).optional(),
  /** Field name to value. Absent fields keep their values; empty text clears an optional one. */
  keys: z.record(z.string().regex(/^\w{1,40}$/), exactLine(500)).default({}),
});
export type CardSettingsChange = z.output<typeof CardSettingsChange>;

export const changeCardSettings = endpoint({
  method: "PATCH",
  path: "/legal_networks/card_settings",
  summary:
    "Choose the card processor and enter its keys, which are checked with it first; with `version`, refused if others have saved since",
  body: CardSettingsChange,
  object: CardSettings,
});

const ById = z.object({ id: IdText });

export const listCardPayments = endpoint({
  method: "GET",
  path: "/card_payments",
  summary: "Card payments, newest first; state=processing lists those being confirmed",
  query: PageQuery.extend({
    state: CardPaymentState.optional(),
    attorney_id: IdText.optional(),
    refund: RefundState.optional(),
    /** Who refunded: an administrator here, or somebody in the processor's own pages. */
    refund_by: z.enum(["administrator", "processor"]).optional(),
    /** Whether the processor holds it until the network accepts or declines it there. */
    held: z.enum(["true", "false"]).optional(),
    /** Only failed payments with a debit that is still owed. */
    owed: z.enum(["true"]).optional(),
    /** Only those with an unseen chargeback. */
    chargeback: z.enum(["unseen"]).optional(),
  }),
  object: pageOf(CardPayment),
});
export type CardPaymentsWanted = z.output<(typeof listCardPayments)["query"]>;

export const listHeldCharges = endpoint({
  method: "GET",
  path: "/held_card_charges",
  summary: "Card charges that the processor holds until the network accepts or declines them there",
  query: PageQuery,
  object: pageOf(HeldCharge),
});

export const confirmCardPayment = endpoint({
  method: "POST",
  path: "/card_payments/:id/confirm",
  movesMoney: true,
  summary: "Check with the processor now how a card payment went",
  params: ById,
  object: CardPayment,
});

const Refund = z.strictObject({
  reason: Note.refine((text) => text.length > 0, requiredMessage),
  /** Everything still received, unless given. */
  amount: Dollars.optional(),
});

export const showCardPayment = endpoint({
  method: "GET",
  path: "/card_payments/:id",
  summary: "One card payment and its transactions",
  params: ById,
  object: CardPayment,
});

/** Refused by the processor: 422. Outcome not known yet: 202. Nothing left to refund: 409. */
export const refundCard = endpoint({
  method: "POST",
  path: "/card_payments/:id/refund",
  movesMoney: true,
  summary: "Refund a card payment in whole or in part: voided before settlement, refunded after it",
  params: ById,
  body: Refund,
  object: CardPayment,
});

const CardTransactionInput = z.strictObject({
  kind: z.enum(["refund", "chargeback", "chargeback_reversed"]),
  amount: Dollars,
  on: Day,
  note: Note.default(""),
  /** Charged to the attorney for a chargeback. */
  fee: Dollars.optional(),
});
export type CardTransactionInput = z.output<typeof CardTransactionInput>;

/** More than was received: 409. A future day, or one in closed books: 422. */
export const recordCardTransaction = endpoint({
  method: "POST",
  path: "/card_payments/:id/transactions",
  movesMoney: true,
  summary: "Record by hand what happened to a card payment at its processor",
  params: ById,
  body: CardTransactionInput,
  object: CardPayment,
});

export const markChargebacksSeen = endpoint({
  method: "POST",
  path: "/card_payments/:id/seen",
  summary: "Mark the chargebacks of a card payment as seen",
  params: ById,
  object: CardPayment,
});

/** Refused by the processor: 422. Outcome not known yet: 202. Already voided or refunded: 409. */
export const refundPayment = endpoint({
  method: "POST",
  path: "/payments/:id/refund",
  movesMoney: true,
  summary: "Refund a card payment in whole or in part: voided before settlement, refunded after it",
  params: ById,
  body: Refund,
  object: CardPayment,
});
