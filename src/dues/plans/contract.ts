import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import {
  Day,
  Dollars,
  DueDay,
  Id,
  IdText,
  Money,
  Months,
  Name,
  Note,
  Timestamp,
} from "#kit/contract/fields.ts";
import { chosenAttorneys, hasIdsOrFilters, idsOrFiltersRequired } from "#panel/shapes.ts";

export const Plan = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  paymentSchedule: z.string(),
  amount: Money,
  frequencyInMonths: z.number(),
  archived: z.boolean(),
  createdAt: Timestamp,
  enrolledCount: z.number(),
});
export type Plan = z.output<typeof Plan>;

export const Instance = z.object({
  id: Id,
  attorneyId: Id,
  lrsSubscriptionId: Id,
  name: z.string(),
  note: z.string(),
  description: z.string(),
  paymentSchedule: z.string(),
  amount: Money,
  startDate: Day,
  nextBillingDate: DueDay.nullable(),
  archived: z.boolean(),
  createdAt: Timestamp,
});
export type Instance = z.output<typeof Instance>;

const ById = z.object({ id: IdText });

/** Archiving plans and enrolments cannot be undone. Source: domain rules §3. */
const Archiving = z.strictObject({
  archived: z.literal(true, { error: "must be true: archiving cannot be undone" }),
});

const NewPlan = z.strictObject({
  name: Name,
  description: Note.default(""),
  payment_amount: Dollars,
  payment_frequency_in_months: Months,
});
export type NewPlan = z.output<typeof NewPlan>;

export const createPlan = endpoint({
  method: "POST",
  path: "/lrs_subscriptions/",
  movesMoney: true, // the plan's amount is what attorneys are billed
  summary: "Create a plan",
  body: NewPlan,
  object: Plan,
});

export const archivePlan = endpoint({
  method: "POST",
  path: "/lrs_subscriptions/:id",
  movesMoney: true,
  summary: "Archive a plan and every enrolment in it",
  params: ById,
  body: Archiving,
  object: Plan,
});

/** Enrolments made together: by Subscribe all, or for attorneys chosen in the list. */
export const Batch = z.object({
  id: Id,
  ofAll: z.boolean(),
  createdAt: Timestamp,
  createdBy: z.string().nullable(),
  enrolments: z.number().int(),
  undoneAt: Timestamp.nullable(),
  /** When undoing stops being possible; null if it is not possible now. */
  undoableUntil: Timestamp.nullable(),
});
export type Batch = z.output<typeof Batch>;

/** A plan with its totals since it was created; `billed` and `adjusted` less `collected` is `owed`. */
export const PlanRecord = Plan.extend({
  billed: Money,
  adjusted: Money,
  collected: Money,
  owed: Money,
  pending: Money,
  endedCount: z.number().int(),
  /** The newest five batches. */
  batches: z.array(Batch),
});
export type PlanRecord = z.output<typeof PlanRecord>;

export const showPlan = endpoint({
  method: "GET",
  path: "/lrs_subscriptions/:id",
  summary: "A plan, what was billed and collected for it, and each Subscribe all",
  params: ById,
  object: PlanRecord,
});

/** An enrolment in the list on the plan's page. */
export const PlanEnrolment = z.object({
  id: Id,
  attorneyId: Id,
  attorneyName: z.string(),
  note: z.string(),
  startDate: Day,
  enrolledOn: Day,
  nextBillingDate: DueDay.nullable(),
  endedAt: Timestamp.nullable(),
  billed: Money,
  owed: Money,
});
export type PlanEnrolment = z.output<typeof PlanEnrolment>;

const Terms = {
  lrs_subscription_id: Id,
  start_date: Day,
  bill_immediately: z.boolean().default(false),
  note: Note.default(""),
};

const NewEnrolment = z.strictObject({ attorney_id: Id, ...Terms });
export type NewEnrolment = z.output<typeof NewEnrolment>;

export const enrolAttorney = endpoint({
  method: "POST",
  path: "/lrs_subscription_instances/",
  movesMoney: true,
  summary: "Enroll one attorney in a plan",
  body: NewEnrolment,
  object: Instance,
});

const NewEnrolments = z.strictObject(Terms);
export type NewEnrolments = z.output<typeof NewEnrolments>;

export const subscribeAll = endpoint({
  method: "POST",
  path: "/lrs_subscription_instances/subscribe_all",
  movesMoney: true,
  summary: "Enroll every attorney who is not yet in the plan",
  body: NewEnrolments,
  object: z.object({
    subscribed: z.number(),
    alreadySubscribed: z.number(),
    debitsCreated: z.number(),
    batchId: Id,
  }),
});

const ChosenEnrolments = z
  .strictObject({ ...chosenAttorneys, ...Terms })
  .refine(hasIdsOrFilters, idsOrFiltersRequired);
export type ChosenEnrolments = z.output<typeof ChosenEnrolments>;

export const enrolChosen = endpoint({
  method: "POST",
  path: "/attorneys/enrol",
  movesMoney: true,
  summary: "Enroll chosen attorneys who are not yet in the plan; can be undone like Subscribe all",
  body: ChosenEnrolments,
  object: z.object({
    subscribed: z.number().int(),
    alreadySubscribed: z.number().int(),
    /** The number of chosen attorneys who have left the panel and are left out. */
    left: z.number().int(),
    debitsCreated: z.number().int(),
    batchId: Id,
  }),
});

export const previewEnrolChosen = endpoint({
  method: "POST",
  path: "/attorneys/enrol/preview",
  summary: "How many of the chosen attorneys would be enrolled, and what is billed today",
  body: ChosenEnrolments,
  object: z.object({
    toSubscribe: z.number().int(),
    alreadySubscribed: z.number().int(),
    left: z.number().int(),
    billedToday: Money,
  }),
});

export const previewUndo = endpoint({
  method: "GET",
  path: "/lrs_subscription_instances/subscribe_all/:id/undo_preview",
  summary: "What undoing a Subscribe all would reverse",
  params: ById,
  object: z.object({
    enrolments: z.number().int(),
    /** Debits that would be reversed, and the dollars: their balances and what credit paid. */
    debits: z.number().int(),
    amount: Money,
    /** The part of the amount paid from credit, which returns to the attorneys' credit. */
    creditReturned: Money,
    /** Debits with a payment, approved or pending. Undoing needs zero. */
    paid: z.number().int(),
  }),
});

export const undoSubscribeAll = endpoint({
  method: "POST",
  path: "/lrs_subscription_instances/subscribe_all/:id/undo",
  movesMoney: true,
  summary: "Undo a Subscribe all: its enrolments end, its debits are reversed to zero",
  params: ById,
  object: z.object({ ended: z.number().int(), reversed: Money }),
});

export const previewSubscribeAll = endpoint({
  method: "GET",
  path: "/lrs_subscriptions/:id/subscribe_all_preview",
  summary: "How many attorneys Subscribe all would enroll, and how many are already enrolled",
  params: ById,
  object: z.object({ toSubscribe: z.number(), alreadySubscribed: z.number() }),
});

export const unsubscribe = endpoint({
  method: "POST",
  path: "/lrs_subscription_instances/:id",
  movesMoney: true,
  summary: "End an enrolment; its balance stays owed",
  params: ById,
  body: Archiving,
  object: Instance,
});

export const maxEndedAtOnce = 1000;

export const endEnrolments = endpoint({
  method: "POST",
  path: "/lrs_subscription_instances/end_many",
  movesMoney: true,
  summary: "End several enrolments, all or none; their balances stay owed",
  body: z.strictObject({
    ids: z
      .array(Id)
      .min(1, "must name at least one enrolment")
      .max(maxEndedAtOnce, "must name at most 1,000 enrolments"),
  }),
  object: z.object({
    ended: z.number().int(),
    /** Debits that were due and were billed first. */
    debitsCreated: z.number().int(),
    billed: Money,
  }),
});

export const listEnrolments = endpoint({
  method: "GET",
  path: "/lrs_subscription_instances",
  summary: "An attorney's active enrolments, newest first",
  query: z.object({ attorney_id: IdText }),
  object: z.array(Instance),
});

export const showUpcoming = endpoint({
  method: "GET",
  path: "/lrs_subscription_instances/:id/upcoming",
  summary: "The next twelve due dates of an enrolment, with the reason for each",
  params: ById,
  object: z.array(
    z.object({ period: z.number(), dueOn: DueDay, amount: Money, reason: z.string() }),
  ),
});
