import { z } from "zod";
import { Day, Id, Money, Timestamp } from "#kit/contract/fields.ts";
import { Brand } from "#access/networks/contract.ts";
import { keysOf } from "#kit/list/define-list.ts";

/** The payment methods and their labels. */
export const paymentMethods = { check: "Check", online: "Card" } as const;

/** The statuses of a payment and their labels. Source: domain rules §4, "Paid tab". */
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

/** The contents of a printed receipt. */
export const Receipt = z.object({
  paymentId: Id,
  networkName: z.string(),
  brand: Brand,
  attorneyName: z.string(),
  attorneyAddress: z.array(z.string()),
  /** The firm that paid by check for its attorneys; this receipt is one attorney's part. */
  firm: z.string().nullable(),
  method: z.enum(keysOf(paymentMethods)),
  status: z.enum(keysOf(paymentStatuses)),
  amount: Money,
  /** The denied part of a partly denied check, less what became credit later. */
  denied: Money,
  /** The amount received that still counts; of a partly pending payment, the approved part. */
  received: Money,
  /** The part of a check that pays no debit and is kept as credit. */
  credit: Money,
  createdAt: Timestamp,
  settledAt: Timestamp.nullable(),
  refundedAt: Timestamp.nullable(),
  failedAt: Timestamp.nullable(),
  /** The day the bank returned the check. */
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
      /** The amount that still counts. */
      received: Money,
    }),
  ),
});
export type Receipt = z.output<typeof Receipt>;
