import { z } from "zod";
import { Day, Id, Money, Timestamp } from "#kit/contract/fields.ts";
import { processorLabels } from "#kit/domain/processors.ts";
import { keysOf } from "#kit/list/define-list.ts";

/** A card processor, by its name in the published interface. Source: spec §9. */
export const ProcessorName = z.enum(keysOf(processorLabels));
export type ProcessorName = z.output<typeof ProcessorName>;

/** Brands whose marks can be shown beside the card form. */
export const Brandmark = z.enum(["mastercard", "visa", "amex", "discover", "diners", "jcb"]);
export type Brandmark = z.output<typeof Brandmark>;

/**
 * The state of a card payment. `processing`: the processor has not said yet whether the card was charged
 * ("being confirmed"). `declined`: not charged. `refunded`: all of it voided or refunded. `failed`:
 * approved, but not collected at settlement. `charged_back`: taken back by the payer's bank.
 */
export const CardPaymentState = z.enum([
  "processing",
  "captured",
  "declined",
  "refunded",
  "failed",
  "charged_back",
]);
export type CardPaymentState = z.output<typeof CardPaymentState>;

/**
 * One thing that happened to a card payment. `failed`: accepted but never collected. A second `purchase`:
 * the money arrived after a failed sale or a failed refund. Source: book, Words.
 */
export const TransactionKind = z.enum([
  "purchase",
  "refund",
  "chargeback",
  "chargeback_reversed",
  "failed",
]);
export type TransactionKind = z.output<typeof TransactionKind>;

export const Transaction = z.object({
  id: Id,
  kind: TransactionKind,
  amount: Money,
  on: Day,
  processorId: z.string().nullable(),
  /** Done here, done at the processor, or entered by hand. */
  by: z.enum(["here", "processor", "hand"]),
  note: z.string(),
  createdAt: Timestamp,
});

/** `failed`: refused by the processor, immediately or days after it accepted. */
export const RefundState = z.enum(["requested", "done", "failed"]);

const paidDebit = { debitId: Id, name: z.string(), note: z.string(), dueDate: Day, amount: Money };

export const CardPayment = z.object({
  id: Id,
  attorneyId: Id,
  attorneyName: z.string(),
  amount: Money,
  /**
   * The amount the network still has: purchases and reversed chargebacks, minus refunds, chargebacks and
   * failures.
   */
  received: Money,
  state: CardPaymentState,
  /** The state as shown to people. */
  status: z.enum([
    "processing",
    "declined",
    "paid",
    "partly refunded",
    "refunded",
    "charged back",
    "failed",
  ]),
  processor: ProcessorName,
  reference: z.string(),
  /** The processor's id of the charge, once known. */
  transactionId: z.string().nullable(),
  card: z.object({ brand: z.string(), lastFour: z.string() }).nullable(),
  /** Why a payment was declined or failed, or why its outcome is not known yet. */
  problem: z.string().nullable(),
  createdAt: Timestamp,
  settledAt: Timestamp.nullable(),
  /** When an approved sale was found to have failed. */
  failedAt: Timestamp.nullable(),
  /** When a payment being confirmed is looked up next. */
  nextLookAt: Timestamp.nullable(),
  /** Since when the processor is known to hold it for review. */
  heldAt: Timestamp.nullable(),
  refund: z
    .object({
      state: RefundState,
      reason: z.string(),
      problem: z.string().nullable(),
      createdAt: Timestamp,
    })
    .nullable(),
  transactions: z.array(Transaction),
  /** `paid`: the part still received. */
  shares: z.array(z.object({ ...paidDebit, paid: Money })),
  /** The part that fit no debit and became credit, less what was reversed since. */
  credit: z.object({
    unused: Money,
    /** The debits this credit has paid, the newest use first. */
    applied: z.array(z.object(paidDebit)),
  }),
  /** The sum of its unseen chargebacks. */
  unseenChargebacks: Money,
});
export type CardPayment = z.output<typeof CardPayment>;

/** An authorised charge that settles only after the network accepts it at the processor. */
export const HeldCharge = z.object({
  attorneyId: Id,
  attorneyName: z.string(),
  amount: Money,
  processor: ProcessorName,
  /** Where to accept or decline it, such as "PayPal Manager". */
  reviewedIn: z.string(),
  transactionId: z.string().nullable(),
  /** The payment it belongs to; null if its browser has not come back. */
  paymentId: Id.nullable(),
  reference: z.string(),
  /** Why its outcome cannot be known; null if it is only held for review. */
  problem: z.string().nullable(),
  createdAt: Timestamp,
  heldAt: Timestamp,
});
export type HeldCharge = z.output<typeof HeldCharge>;

const KeyField = z.object({
  name: z.string(),
  label: z.string(),
  hint: z.string(),
  isSecret: z.boolean(),
  isRequired: z.boolean(),
});

export const CardSettings = z.object({
  /** Grows with each save; null before the first. */
  version: Id.nullable(),
  paymentProcessor: ProcessorName.nullable(),
  livePayments: z.boolean(),
  /** Whether payments go to the sandboxes that run with this server. */
  sandbox: z.boolean(),
  sandboxAvailable: z.boolean(),
  brandmarks: z.array(Brandmark),
  /** Where Stripe and Authorize.Net send their webhooks; null for the other processors. */
  webhookUrl: z.string().nullable(),
  /** Why the processor refused the last payment or session, if the account is at fault. */
  accountFault: z.object({ message: z.string(), at: Timestamp }).nullable(),
  /** Every processor that can be chosen, with the values entered so far. */
  processors: z.array(
    z.object({
      name: ProcessorName,
      label: z.string(),
      /** What to set up in the account in addition to its keys. */
      advice: z.string().nullable(),
      fields: z.array(KeyField),
      /** Public values by field name. */
      values: z.record(z.string(), z.string()),
      /** Secret fields that are set, by field name: their last four characters, or "" for short ones. */
      secrets: z.record(z.string(), z.string()),
    }),
  ),
});
export type CardSettings = z.output<typeof CardSettings>;
