import { z } from "zod";
import { Day, DueDay, Id, Money, Timestamp } from "#kit/contract/fields.ts";
import { Brand } from "#access/networks/contract.ts";
import { keysOf } from "#kit/list/define-list.ts";

/*
 * What payments look like inside an attorney's record. They are not in contract.ts, whose
 * calls answer with that record, so that the two contracts do not import each other.
 */

/** By what attorneys pay, and what people call it. */
export const paymentMethods = { check: "Check", online: "Card" } as const;

/** The statuses of a payment with their words. Source: domain rules §4, "Paid tab". */
export const paymentStatuses = {
  processing: "Being confirmed",
  paid: "Paid",
  pending: "Pending",
  approved: "Approved",
  denied: "Denied",
  declined: "Declined",
  "partly refunded": "Partly refunded",
  refunded: "Refunded",
  "charged back": "Charged back",
  failed: "Failed",
  returned: "Returned",
} as const;

const share = {
  id: Id,
  /** The payment that the share is part of, which receipts and refunds refer to. */
  paymentId: Id,
  name: z.string(),
  description: z.string(),
  note: z.string(),
  /** When the debit fell due. */
  dueDate: DueDay,
  quantity: Money,
  createdAt: Timestamp,
};

/** One debit's share of a card payment. */
export const OnlinePayment = z.object({
  ...share,
  status: z.enum(["processing", "paid"]),
  /** What of it counts now: less than its amount once a part was taken back. */
  received: Money,
});
export type OnlinePayment = z.output<typeof OnlinePayment>;

/** One debit's share of a card payment that was given back, or never collected: it is owed again. */
export const ReversedOnlinePayment = z.object({
  ...share,
  status: z.enum(["refunded", "failed", "charged back"]),
});
export type ReversedOnlinePayment = z.output<typeof ReversedOnlinePayment>;

/** One debit's share of a check. */
export const CheckPayment = z.object({
  ...share,
  checkNumber: z.string(),
  status: z.enum(["pending", "approved", "denied", "returned"]),
});
export type CheckPayment = z.output<typeof CheckPayment>;

/** What of a payment pays no debit and is kept as credit; of a card it goes first when that is given back. */
export const CreditPayment = z.object({
  paymentId: Id,
  /** Null of a card. */
  checkNumber: z.string().nullable(),
  quantity: Money,
  createdAt: Timestamp,
  status: z.enum([
    "pending",
    "approved",
    "denied",
    "returned",
    "processing",
    "paid",
    "partly refunded",
    "refunded",
    "charged back",
    "failed",
  ]),
  /** What of it counts now. */
  received: Money,
});
export type CreditPayment = z.output<typeof CreditPayment>;

/** All that a printed receipt says. */
export const Receipt = z.object({
  paymentId: Id,
  networkName: z.string(),
  brand: Brand,
  attorneyName: z.string(),
  attorneyAddress: z.array(z.string()),
  /** Whose check it is, where a firm paid for its attorneys; this is one attorney's part of it. */
  firm: z.string().nullable(),
  method: z.enum(keysOf(paymentMethods)),
  status: z.enum(keysOf(paymentStatuses)),
  amount: Money,
  /** The denied part of a check that was not denied whole, without what of it became credit later. */
  denied: Money,
  /** What was received of it and still counts: of one that is pending in part, what was approved already. */
  received: Money,
  /** What of a check pays no debit and is kept as credit. */
  credit: Money,
  createdAt: Timestamp,
  settledAt: Timestamp.nullable(),
  refundedAt: Timestamp.nullable(),
  failedAt: Timestamp.nullable(),
  /** The day on which the bank returned the check. */
  returnedOn: Day.nullable(),
  reference: z.string().nullable(),
  transactionId: z.string().nullable(),
  card: z.object({ brand: z.string(), lastFour: z.string() }).nullable(),
  checkNumber: z.string().nullable(),
  shares: z.array(
    z.object({
      debitId: Id,
      name: z.string(),
      description: z.string(),
      note: z.string(),
      dueDate: Day,
      amount: Money,
      status: z.enum([
        "pending",
        "approved",
        "denied",
        "refunded",
        "charged back",
        "failed",
        "returned",
      ]),
      /** What of it counts now. */
      received: Money,
    }),
  ),
});
export type Receipt = z.output<typeof Receipt>;
