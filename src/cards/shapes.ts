import { z } from "zod";
import { Day, Id, Money, Timestamp } from "#kit/contract/fields.ts";
import { processorLabels } from "#kit/domain/processors.ts";
import { keysOf } from "#kit/list/define-list.ts";

/** A card processor, by its name in the published interface. Source: spec §9. */
export const ProcessorName = z.enum(keysOf(processorLabels));
export type ProcessorName = z.output<typeof ProcessorName>;

/** Brands whose marks are shown beside the card form. */
export const Brandmark = z.enum(["mastercard", "visa", "amex", "discover", "diners", "jcb"]);
export type Brandmark = z.output<typeof Brandmark>;

/**
 * How far a card payment has come. `processing`: the processor has not said yet whether the card
 * was charged ("being confirmed"); `declined`: it was not; `refunded`: nothing of it is left, voided or refunded;
 * `failed`: approved, but the processor could not collect it when it settled its batch; `charged_back`: the payer's
 * bank took it back.
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
 * What happened to a card payment: `failed` was accepted and never collected; `purchase` again: what had failed, or
 * whose refund had, is with the network after all. Source: book, Words.
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
  /** Who did it: somebody here, somebody at the processor, or it was entered by hand. */
  by: z.enum(["here", "processor", "hand"]),
  note: z.string(),
  createdAt: Timestamp,
});

/** `failed`: refused by the processor, at once or days after it had accepted. */
export const RefundState = z.enum(["requested", "done", "failed"]);

const paidDebit = { debitId: Id, name: z.string(), note: z.string(), dueDate: Day, amount: Money };

export const CardPayment = z.object({
  /** The payment's id. */
  id: Id,
  attorneyId: Id,
  attorneyName: z.string(),
  amount: Money,
  /** What of it is with the network: its purchases and reversed chargebacks less what went again. */
  received: Money,
  state: CardPaymentState,
  /** In words for people. */
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
  /** The processor's own id of the charge, once it is known. */
  transactionId: z.string().nullable(),
  card: z.object({ brand: z.string(), lastFour: z.string() }).nullable(),
  /** Why a payment was declined or failed, or why its outcome is not known yet. */
  problem: z.string().nullable(),
  createdAt: Timestamp,
  settledAt: Timestamp.nullable(),
  /** When a sale that had been approved was found to have failed. */
  failedAt: Timestamp.nullable(),
  /** When a payment that is being confirmed is looked up next. */
  nextLookAt: Timestamp.nullable(),
  /** Since when the processor is known to hold it for review by the network. */
  heldAt: Timestamp.nullable(),
  refund: z
    .object({
      state: RefundState,
      reason: z.string(),
      problem: z.string().nullable(),
      createdAt: Timestamp,
    })
    .nullable(),
  /** In the order in which they were recorded. */
  transactions: z.array(Transaction),
  /** `paid`: what of the amount counts now. */
  shares: z.array(z.object({ ...paidDebit, paid: Money })),
  /** What fitted no debit and became credit, as far as it was not taken back since. */
  credit: z.object({
    unused: Money,
    /** The debits that it has paid, the newest use first. */
    applied: z.array(z.object(paidDebit)),
  }),
  /** Its chargebacks at which nobody has looked. */
  unseenChargebacks: Money,
});
export type CardPayment = z.output<typeof CardPayment>;

/** A charge that was authorised, and that settles only once the network accepts it at the processor. */
export const HeldCharge = z.object({
  attorneyId: Id,
  attorneyName: z.string(),
  amount: Money,
  processor: ProcessorName,
  /** Where it is accepted or declined, such as "PayPal Manager". */
  reviewedIn: z.string(),
  /** The processor's own id of the charge. */
  transactionId: z.string().nullable(),
  /** The payment that it is for; null where the browser that made it has not come back. */
  paymentId: Id.nullable(),
  reference: z.string(),
  /** Why nobody can say what becomes of it; null where it is only held for review. */
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

/** How a network takes cards, as its administrators see it. */
export const CardSettings = z.object({
  /** Grows with each save; null before the first. */
  version: Id.nullable(),
  paymentProcessor: ProcessorName.nullable(),
  livePayments: z.boolean(),
  /** Whether payments go to the sandboxes that run beside this server. */
  sandbox: z.boolean(),
  sandboxAvailable: z.boolean(),
  brandmarks: z.array(Brandmark),
  /** Where Stripe and Authorize.Net are to send their webhooks; null for the other processors. */
  webhookUrl: z.string().nullable(),
  /** Why the account in use refused the last payment or session, where the account is at fault. */
  accountFault: z.object({ message: z.string(), at: Timestamp }).nullable(),
  /** Every processor that can be chosen, with what has been entered for it so far. */
  processors: z.array(
    z.object({
      name: ProcessorName,
      label: z.string(),
      /** What the account needs besides its keys. */
      advice: z.string().nullable(),
      fields: z.array(KeyField),
      /** Public values by field name. */
      values: z.record(z.string(), z.string()),
      /** Secret fields that are set, by field name: their last four characters, "" for short ones. */
      secrets: z.record(z.string(), z.string()),
    }),
  ),
});
export type CardSettings = z.output<typeof CardSettings>;
