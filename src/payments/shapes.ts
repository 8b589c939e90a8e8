import { z } from "zod";
import { Day, Id, Money, Timestamp } from "#kit/contract/fields.ts";
import { Brand } from "#access/networks/contract.ts";
import { keysOf } from "#kit/list/define-list.ts";

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
