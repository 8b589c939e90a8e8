import { z } from "zod";
import { type Cents, centsFromDollars, dollarsText, maxAmount, zero } from "#kit/domain/money.ts";
import { endpoint } from "#kit/contract/endpoint.ts";
import { amountMessage, CheckNumber, IdKey, IdText } from "#kit/contract/fields.ts";
import { Attorney } from "#people/contract.ts";
import { Debit } from "#dues/ledger/contract.ts";
import { Receipt } from "#payments/shapes.ts";

/** One debit's share in dollars. Zero, null and empty text leave the debit out. Source: domain rules §4. */
const Share = z.codec(
  z.union([z.number(), z.string(), z.null()], { error: amountMessage }),
  z.custom<Cents>((amount) => typeof amount === "number" && amount >= 0 && amount <= maxAmount, {
    error: amountMessage,
  }),
  {
    decode: (dollars, context) => {
      if (dollars === null || (typeof dollars === "string" && dollars.trim() === "")) return zero;
      const amount = centsFromDollars(dollars);
      if (amount !== null) return amount;
      context.issues.push({ code: "custom", message: amountMessage, input: dollars });
      return z.NEVER;
    },
    encode: dollarsText,
  },
);

const total = (shares: Record<string, number>) =>
  Object.values(shares).reduce((added, amount) => added + amount, 0);

/** Debit ids with the amounts to pay. A total of zero is refused. */
export const PaymentHash = z
  .record(IdKey, Share, { error: "must be a map of debit ids to amounts" })
  .refine((shares) => Object.keys(shares).length <= 1000, "must name at most 1,000 debits")
  .refine((shares) => total(shares) > 0, "must pay at least 0.01 dollars in total")
  .refine((shares) => total(shares) <= maxAmount, "must pay at most 1,000,000.00 dollars in total");
export type PaymentHash = z.output<typeof PaymentHash>;

const CheckPaid = z.strictObject({
  payment_hash: PaymentHash,
  check_number: CheckNumber,
  /** A different check from one with the same number of the attorney's firm or a colleague. */
  another_check: z.boolean().default(false),
});
export type CheckPaid = z.output<typeof CheckPaid>;

export const payByCheck = endpoint({
  method: "POST",
  path: "/lrs_subscription_check_payments/",
  movesMoney: true,
  summary: "Record a check; its amounts are reserved until an administrator decides",
  body: CheckPaid,
  object: Attorney,
});

const Decisions = z.strictObject({
  statuses: z
    .record(IdKey, z.enum(["approved", "denied"], { error: 'must be "approved" or "denied"' }), {
      error: "must be a map of pending payment ids to decisions",
    })
    .refine(
      (statuses) => Object.keys(statuses).length > 0,
      "Choose Approve or Deny for at least one check.",
    )
    .refine((statuses) => Object.keys(statuses).length <= 1000, "must name at most 1,000 checks"),
});
export type Decisions = z.output<typeof Decisions>;

export const confirmChecks = endpoint({
  method: "POST",
  path: "/lrs_subscription_check_payments/confirm",
  movesMoney: true,
  summary: "Approve or deny pending checks, all or none",
  body: Decisions,
  object: z.array(Debit),
});

export const showReceipt = endpoint({
  method: "GET",
  path: "/payments/:id/receipt",
  summary: "The receipt of a payment; attorneys see only their own",
  params: z.object({ id: IdText }),
  object: Receipt,
});
