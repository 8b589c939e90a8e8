import { z } from "zod";
import { endpoint } from "#contract/endpoint.ts";
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
} from "#contract/fields.ts";

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
  summary: "Define a plan",
  body: NewPlan,
  object: Plan,
});

export const archivePlan = endpoint({
  method: "POST",
  path: "/lrs_subscriptions/:id",
  summary: "Archive a plan and every enrolment in it",
  params: ById,
  body: Archiving,
  object: Plan,
});

export const listPlans = endpoint({
  method: "GET",
  path: "/lrs_subscriptions/",
  summary: "All plans, archived ones included, newest first",
  object: z.array(Plan),
});

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
  summary: "Enrol one attorney in a plan",
  body: NewEnrolment,
  object: Instance,
});

const NewEnrolments = z.strictObject(Terms);
export type NewEnrolments = z.output<typeof NewEnrolments>;

export const subscribeAll = endpoint({
  method: "POST",
  path: "/lrs_subscription_instances/subscribe_all",
  summary: "Enrol every attorney who is not yet in the plan",
  body: NewEnrolments,
  object: z.object({
    subscribed: z.number(),
    alreadySubscribed: z.number(),
    debitsCreated: z.number(),
  }),
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
  summary: "End an enrolment; what is owed stays owed",
  params: ById,
  body: Archiving,
  object: Instance,
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
