import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, Money, Timestamp } from "#kit/contract/fields.ts";
import { Activity } from "#office/activity/contract.ts";
import { AgingTotals } from "#dues/ledger/receivables/contract.ts";

/** What can need a person, in the order of the page. */
export const attentionKinds = [
  "checks_to_confirm",
  "held_money",
  "referrals_without_attorney",
  "overdue_reports",
  "suspended_attorneys",
  "card_payments_held",
  "card_chargebacks",
  "card_refunds_failed",
  "card_settlements_failed",
  "due_but_not_billed",
  "reports_failed",
  "reports_ready",
  "emails_refused",
  "mail_not_sent",
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

const Attention = z.object({
  kind: z.enum(attentionKinds),
  count: z.number().int().positive(),
  amount: Money.optional(),
  /** Since when the oldest is waiting, where that matters. */
  since: Timestamp.optional(),
  /** How many are new this week, where that matters. */
  recent: z.number().int().optional(),
  /** The list of exactly these. */
  path: z.string(),
});
export type Attention = z.output<typeof Attention>;

/** One month of the network, by its first day. */
const Month = z.object({
  month: Day,
  /** New debits and adjustments. */
  billed: Money,
  /** Checks and card payments, less returns and refunds. */
  received: Money,
});

/** One week of the network, by its Monday. */
const Week = z.object({
  week: Day,
  made: z.number().int(),
  /** Referrals reported as retained, counted in the week of the first such report. */
  retained: z.number().int(),
});

export const showOverview = endpoint({
  method: "GET",
  path: "/overview",
  summary: "What is waiting for an administrator, and the network's last year in figures",
  object: z.object({
    /** Kinds without any are absent. */
    attention: z.array(Attention),
    /** The last twelve, the present one last. */
    months: z.array(Month),
    /** What is owed now. */
    aging: AgingTotals,
    /** The last twelve weeks, the present one last. */
    referrals: z.array(Week),
    lately: z.array(Activity),
    /** The setup steps of a new network: which are done, and whether the rest are hidden. */
    begun: z.object({
      attorneys: z.boolean(),
      plans: z.boolean(),
      /** Receipts and statements have a postal address. */
      letterhead: z.boolean(),
      /** A mail server is set up. */
      mail: z.boolean(),
      cards: z.boolean(),
      isPutAway: z.boolean(),
    }),
  }),
});
export const hideFirstSteps = endpoint({
  method: "POST",
  path: "/overview/first_steps/put_away",
  summary: "Hide the first steps that a new network's overview shows",
  object: z.object({}),
});

export type Overview = z.output<typeof showOverview.object>;
