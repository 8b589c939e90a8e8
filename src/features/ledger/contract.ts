import { z } from "zod";
import { endpoint } from "#contract/endpoint.ts";
import { Day, Dollars, DueDay, Id, IdText, Money, Note, Timestamp } from "#contract/fields.ts";
import { PageQuery, pageOf } from "#contract/page.ts";

const daysBounds = "must be a whole number of days from 1 to 36,500";

export const PendingPayment = z.object({
  id: Id,
  checkNumber: z.string(),
  quantity: Money,
  createdAt: Timestamp,
});
export type PendingPayment = z.output<typeof PendingPayment>;

/** `quantity` is positive where the balance decreased. Source: spec §3. */
export const Adjustment = z.object({
  id: Id,
  createdAt: Timestamp,
  quantity: Money,
  note: z.string(),
});
export type Adjustment = z.output<typeof Adjustment>;

export const Debit = z.object({
  id: Id,
  attorneyId: Id,
  name: z.string(),
  note: z.string(),
  description: z.string(),
  amount: Money,
  balance: Money,
  dueDate: DueDay,
  createdAt: Timestamp,
  /** How much of the balance awaits confirmation: checks and card payments. */
  pending: Money,
  /** The checks among it. */
  pendingPayments: z.array(PendingPayment),
  adjustments: z.array(Adjustment),
});
export type Debit = z.output<typeof Debit>;

export const listOutstanding = endpoint({
  method: "GET",
  path: "/lrs_subscription_debits/outstanding",
  summary: "An attorney's debits with a balance above zero, oldest due first",
  query: z.object({ attorney_id: IdText }),
  object: z.array(Debit),
});

export const debitStates = ["open", "overdue", "paid"] as const;

/** A debit in a list that is of more than one attorney. */
export const DebitOfAttorney = Debit.extend({ attorneyName: z.string() });
export type DebitOfAttorney = z.output<typeof DebitOfAttorney>;

export const listDebits = endpoint({
  method: "GET",
  path: "/debits",
  summary: "Debits of the network, oldest due first; paid ones newest first",
  query: PageQuery.extend({
    /** Open: something is owed; overdue: open, and due before today. */
    state: z.enum(debitStates).default("open"),
    /** Overdue by at least so many days. */
    min_days: z
      .codec(
        z.string().regex(/^\d{1,5}$/, daysBounds),
        z.number().min(1, daysBounds).max(36_500, daysBounds),
        { decode: Number, encode: String },
      )
      .optional(),
    attorney_id: IdText.optional(),
    /** Those of all of a firm's attorneys. */
    firm_id: IdText.optional(),
    plan_id: IdText.optional(),
  }),
  object: pageOf(DebitOfAttorney),
});

const NewAdjustment = z.strictObject({
  debit_id: Id,
  direction: z.enum(["decrease", "increase"]).default("decrease"),
  amount: Dollars,
  adjustment_note: Note.default(""),
});
export type NewAdjustment = z.output<typeof NewAdjustment>;

export const adjustDebit = endpoint({
  method: "POST",
  path: "/lrs_subscription_debit_adjustments/",
  summary: "Decrease or increase the balance of a debit",
  body: NewAdjustment,
  object: Debit,
});

export const BillingRun = z.object({
  id: Id,
  asOf: Day,
  startedAt: Timestamp,
  finishedAt: Timestamp.nullable(),
  /** It has no end, and no process works on it any more. */
  isInterrupted: z.boolean(),
  debits: z.number(),
  amount: Money,
  failures: z.number(),
  failureReason: z.string().nullable(),
});
export type BillingRun = z.output<typeof BillingRun>;

export const listBillingRuns = endpoint({
  method: "GET",
  path: "/billing_runs",
  summary: "Billing runs, newest first",
  query: PageQuery,
  object: pageOf(BillingRun),
});

export const DueButNotBilled = z.object({
  enrolmentId: Id,
  attorneyId: Id,
  attorneyName: z.string(),
  name: z.string(),
  dueDate: DueDay,
  amount: Money,
});
export type DueButNotBilled = z.output<typeof DueButNotBilled>;

export const listDueButNotBilled = endpoint({
  method: "GET",
  path: "/billing_runs/due_but_not_billed",
  summary:
    "What a billing run should have billed by today and has not: empty unless something is wrong",
  object: z.array(DueButNotBilled),
});
