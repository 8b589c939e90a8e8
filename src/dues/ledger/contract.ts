import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import {
  Day,
  Dollars,
  DollarsOrNone,
  DueDay,
  Id,
  IdText,
  Money,
  Name,
  Note,
  Timestamp,
} from "#kit/contract/fields.ts";
import { PageQuery, pageOf } from "#kit/contract/page.ts";
import { type ChosenAttorneys, chosenAttorneys, hasIdsOrFilters } from "#panel/shapes.ts";

export const PendingPayment = z.object({
  id: Id,
  checkNumber: z.string(),
  quantity: Money,
  createdAt: Timestamp,
});
export type PendingPayment = z.output<typeof PendingPayment>;

/** `quantity` is positive if the balance decreased. Source: spec §3. */
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
  /** The part of the balance in pending checks and card payments. */
  pending: Money,
  pendingPayments: z.array(PendingPayment),
  adjustments: z.array(Adjustment),
  /** The part paid from the attorney's credit. */
  paidFromCredit: Money,
});
export type Debit = z.output<typeof Debit>;

export const listOutstanding = endpoint({
  method: "GET",
  path: "/lrs_subscription_debits/outstanding",
  summary: "An attorney's debits with a balance above zero, oldest due first",
  query: z.object({ attorney_id: IdText }),
  object: z.array(Debit),
});

/** A debit in a list of several attorneys' debits. */
export const DebitOfAttorney = Debit.extend({ attorneyName: z.string() });
export type DebitOfAttorney = z.output<typeof DebitOfAttorney>;

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
  movesMoney: true,
  summary: "Decrease or increase the balance of a debit",
  body: NewAdjustment,
  object: Debit,
});

export const BillingRun = z.object({
  id: Id,
  asOf: Day,
  startedAt: Timestamp,
  finishedAt: Timestamp.nullable(),
  /** Unfinished, and no process is working on it. */
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
    "Periods that should have been billed by today and were not: empty unless something is wrong",
  object: z.array(DueButNotBilled),
});

/** `amount` is signed: positive when credit was received or restored, negative when applied, refunded or reversed. */
export const CreditEntry = z.object({
  id: Id,
  kind: z.enum(["received", "applied", "given_back", "reversed"]),
  amount: Money,
  /** The debit it was applied to or restored from, the check it came from, or the note. */
  cause: z.string(),
  /** How the money was paid. */
  source: z.enum(["check", "card"]),
  /** The card payment of a receipt, while some of it is left to refund to the card. */
  cardPaymentId: Id.nullable(),
  debitId: Id.nullable(),
  createdAt: Timestamp,
});
export type CreditEntry = z.output<typeof CreditEntry>;

/** Money received and not yet applied to a debit, and its newest 1,000 entries. Source: domain rules §10. */
export const Credit = z.object({ credit: Money, entries: z.array(CreditEntry) });
export type Credit = z.output<typeof Credit>;

const OfAttorney = z.object({ id: IdText });

export const showCredit = endpoint({
  method: "GET",
  path: "/attorneys/:id/credit",
  summary: "An attorney's credit and its history, newest first",
  params: OfAttorney,
  object: Credit,
});

const CreditUse = z.discriminatedUnion(
  "action",
  [
    z.strictObject({ action: z.literal("apply"), debit_id: Id, amount: Dollars }),
    z.strictObject({
      action: z.literal("give_back"),
      amount: Dollars,
      note: Note.min(1, "Enter a note that says how you refunded it, such as Our check 512."),
    }),
  ],
  { error: 'must be "apply" or "give_back"' },
);
export type CreditUse = z.output<typeof CreditUse>;

export const changeCredit = endpoint({
  method: "POST",
  path: "/attorneys/:id/credit",
  movesMoney: true,
  summary: "Apply an attorney's credit to a debit, or record a refund of credit",
  params: OfAttorney,
  body: CreditUse,
  object: Credit,
});

export const spendOwnCredit = endpoint({
  method: "POST",
  path: "/credit/use",
  movesMoney: true,
  summary: "Pay your own debits from your credit, oldest due first",
  body: z.strictObject({ amount: Dollars }),
  object: Credit,
});

const ChargedAttorneys = {
  ...chosenAttorneys,
  all: z.literal(true, { error: "must be true, or left out" }).optional(),
};

const hasOneChoice = (body: ChosenAttorneys & { all?: unknown }) =>
  body.all === undefined
    ? hasIdsOrFilters(body)
    : body.attorney_ids === undefined && body.filters === undefined;

const oneChoiceError = {
  error: "Choose the attorneys to charge, the filters of their list, or all attorneys.",
  path: ["attorney_ids"],
};

const NewCharge = z
  .strictObject({
    ...ChargedAttorneys,
    name: Name,
    amount: Dollars,
    /** At most a year back. */
    due_on: Day,
    note: Note.default(""),
  })
  .refine(hasOneChoice, oneChoiceError);
export type NewCharge = z.output<typeof NewCharge>;

export const createCharge = endpoint({
  method: "POST",
  path: "/charges",
  movesMoney: true,
  summary: "Charge each of the chosen attorneys, or all of them, an amount",
  body: NewCharge,
  object: z.object({ created: z.number().int(), amount: Money }),
});

/** Fields that do not change the totals are optional: a form calls this while it is filled in. */
const ChargePreview = z
  .strictObject({
    ...ChargedAttorneys,
    name: Name.optional(),
    amount: Dollars,
    due_on: Day.optional(),
    note: Note.optional(),
  })
  .refine(hasOneChoice, oneChoiceError);
export type ChargePreview = z.output<typeof ChargePreview>;

export const previewCharges = endpoint({
  method: "POST",
  path: "/charges/preview",
  summary: "How many attorneys a charge would go to, and its total",
  body: ChargePreview,
  object: z.object({
    attorneys: z.number().int(),
    amount: Money,
    total: Money,
    /** The part of the total that the attorneys' credit would pay. */
    fromCredit: Money,
  }),
});

export const MoneySettings = z.object({
  appliesCreditAutomatically: z.boolean(),
  returnedCheckFee: Money,
  chargebackFee: Money,
  accountNames: z.object({
    accountsReceivable: z.string(),
    duesIncome: z.string(),
    otherIncome: z.string(),
    undepositedChecks: z.string(),
    bank: z.string(),
    cardClearing: z.string(),
    attorneysCredit: z.string(),
    held: z.string(),
    adjustments: z.string(),
  }),
});
export type MoneySettings = z.output<typeof MoneySettings>;

export const showMoneySettings = endpoint({
  method: "GET",
  path: "/legal_networks/money_settings",
  summary: "Settings for credit, fees for returned checks and chargebacks, and account names",
  object: MoneySettings,
});

const MoneySettingsChange = z.strictObject({
  applies_credit_automatically: z.boolean().optional(),
  /** 0 for no fee. */
  returned_check_fee: DollarsOrNone.optional(),
  /** 0 for no fee. */
  chargeback_fee: DollarsOrNone.optional(),
  account_names: z
    .strictObject({
      accounts_receivable: Name.optional(),
      dues_income: Name.optional(),
      other_income: Name.optional(),
      undeposited_checks: Name.optional(),
      bank: Name.optional(),
      card_clearing: Name.optional(),
      attorneys_credit: Name.optional(),
      held: Name.optional(),
      adjustments: Name.optional(),
    })
    .optional(),
});
export type MoneySettingsChange = z.output<typeof MoneySettingsChange>;

export const changeMoneySettings = endpoint({
  method: "PATCH",
  path: "/legal_networks/money_settings",
  summary: "Change the money settings; fields left out keep their value",
  body: MoneySettingsChange,
  object: MoneySettings,
});
