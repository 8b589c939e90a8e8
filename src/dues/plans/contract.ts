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
import { chosenAttorneys, namesAttorneys, unnamedAttorneys } from "#panel/shapes.ts";

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

/** Plans and enrolments are archived for good: there is no way back. Source: domain rules §3. */
const Archiving = z.strictObject({
  archived: z.literal(true, { error: "must be true: what is archived cannot be brought back" }),
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
  movesMoney: true, // it is what all are billed for
  summary: "Define a plan",
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

/** One Subscribe all of a plan, or what put attorneys of the list on it together. */
export const Batch = z.object({
  id: Id,
  ofAll: z.boolean(),
  createdAt: Timestamp,
  createdBy: z.string().nullable(),
  enrolments: z.number().int(),
  undoneAt: Timestamp.nullable(),
  /** Until when it can be undone; null once it cannot. */
  undoableUntil: Timestamp.nullable(),
});
export type Batch = z.output<typeof Batch>;

/** A plan with all that was ever billed for it; `billed` and `adjusted` less `collected` is `owed`. */
export const PlanRecord = Plan.extend({
  billed: Money,
  adjusted: Money,
  collected: Money,
  owed: Money,
  /** Of what is owed, what awaits a decision. */
  pending: Money,
  /** Enrolments that have ended. */
  endedCount: z.number().int(),
  /** The newest five times that many were subscribed together. */
  batches: z.array(Batch),
});
export type PlanRecord = z.output<typeof PlanRecord>;

export const showPlan = endpoint({
  method: "GET",
  path: "/lrs_subscriptions/:id",
  summary: "A plan, what was billed and collected for it, and when all were subscribed to it",
  params: ById,
  object: PlanRecord,
});

/** An attorney's enrolment as the plan's page lists it. */
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
  summary: "Enrol one attorney in a plan",
  body: NewEnrolment,
  object: Instance,
});

const NewEnrolments = z.strictObject(Terms);
export type NewEnrolments = z.output<typeof NewEnrolments>;

export const subscribeAll = endpoint({
  method: "POST",
  path: "/lrs_subscription_instances/subscribe_all",
  movesMoney: true,
  summary: "Enrol every attorney who is not yet in the plan",
  body: NewEnrolments,
  object: z.object({
    subscribed: z.number(),
    alreadySubscribed: z.number(),
    debitsCreated: z.number(),
    /** By which it can be undone. */
    batchId: Id,
  }),
});

const ChosenEnrolments = z
  .strictObject({ ...chosenAttorneys, ...Terms })
  .refine(namesAttorneys, unnamedAttorneys);
export type ChosenEnrolments = z.output<typeof ChosenEnrolments>;

export const enrolChosen = endpoint({
  method: "POST",
  path: "/attorneys/enrol",
  movesMoney: true,
  summary: "Enrol chosen attorneys who are not yet in the plan; undone as Subscribe all is",
  body: ChosenEnrolments,
  object: z.object({
    subscribed: z.number().int(),
    alreadySubscribed: z.number().int(),
    /** Of those chosen, who has left the panel and is left out. */
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
    /** Of all together. */
    billedToday: Money,
  }),
});

export const previewUndo = endpoint({
  method: "GET",
  path: "/lrs_subscription_instances/subscribe_all/:id/undo_preview",
  summary: "What undoing a Subscribe all would take back",
  params: ById,
  object: z.object({
    /** Enrolments that would end. */
    enrolments: z.number().int(),
    /** Debits that would be taken back, and what is owed on them. */
    debits: z.number().int(),
    amount: Money,
    /** Of the amount, what was paid from credit: it goes back to the attorneys' credit. */
    creditReturned: Money,
    /** Debits with a payment, approved or pending: none may have one. */
    paid: z.number().int(),
  }),
});

export const undoSubscribeAll = endpoint({
  method: "POST",
  path: "/lrs_subscription_instances/subscribe_all/:id/undo",
  movesMoney: true,
  summary: "Take a Subscribe all back: its enrolments end, its debits are reversed to zero",
  params: ById,
  object: z.object({ ended: z.number().int(), reversed: Money }),
});

export const previewSubscribeAll = endpoint({
  method: "GET",
  path: "/lrs_subscriptions/:id/subscribe_all_preview",
  summary: "How many attorneys subscribing all would enrol, and how many are enrolled already",
  params: ById,
  object: z.object({ toSubscribe: z.number(), alreadySubscribed: z.number() }),
});

export const unsubscribe = endpoint({
  method: "POST",
  path: "/lrs_subscription_instances/:id",
  movesMoney: true,
  summary: "End an enrolment; what is owed stays owed",
  params: ById,
  body: Archiving,
  object: Instance,
});

export const maxEndedAtOnce = 1000;

export const endEnrolments = endpoint({
  method: "POST",
  path: "/lrs_subscription_instances/end_many",
  movesMoney: true,
  summary: "End several enrolments, all or none; what is owed stays owed",
  body: z.strictObject({
    ids: z
      .array(Id)
      .min(1, "must name at least one enrolment")
      .max(maxEndedAtOnce, "must name at most 1,000 enrolments"),
  }),
  object: z.object({
    ended: z.number().int(),
    /** What had fallen due and was billed first. */
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
  summary: "The next twelve due dates of an enrolment, and why each falls where it does",
  params: ById,
  object: z.array(
    z.object({ period: z.number(), dueOn: DueDay, amount: Money, reason: z.string() }),
  ),
});
