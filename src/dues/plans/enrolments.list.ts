import { z } from "zod";
import { IdText } from "#kit/contract/fields.ts";
import { PlanEnrolment } from "#dues/plans/contract.ts";
import { listEndpoint } from "#kit/list/list-endpoint.ts";
import { attorneyColumns } from "#panel/attorney-columns.list.ts";
import {
  day,
  dayOf,
  defineList,
  type Filter,
  money,
  number,
  oneOfWithDefault,
  record,
  search,
  text,
} from "#kit/list/define-list.ts";

const ofPlan: Filter<typeof IdText> & { inPath: true } = {
  ...record("plans"),
  schema: IdText,
  inAddress: false,
  inPath: true,
};

export const enrolments = defineList({
  name: "enrolments",
  title: "Enrolments",
  thing: "enrolment",
  path: "/admin/plans",
  columns: {
    enrolment_id: number("Enrolment ID"),
    ...attorneyColumns,
    subscription: text("Subscription"),
    note: text("Note"),
    payment_schedule: text("Payment schedule"),
    start_date: day("Start date", { sort: "since" }),
    enrolled_on: day("Enrolled on"),
    next_billing_date: day("Next bill", {
      screenOnly: true,
      onlyWith: ({ state }) => state !== "ended",
    }),
    ended_on: dayOf("Ended on", {
      sort: "ended",
      sortsDown: true,
      onlyWith: ({ state }) => state === "ended",
    }),
    billed: money("Billed", { sort: "billed", total: "billed" }),
    owed: money("Owed", { sort: "owed", total: "owed" }),
  },
  screen: {
    attorney_name: "Attorney",
    start_date: "Since",
    next_billing_date: "Next bill",
    ended_on: "Ended",
    billed: "Billed",
    owed: "Owed",
  },
  filters: {
    search: search("Search attorneys"),
    state: oneOfWithDefault("active", { active: "Enrolled", ended: "Ended" }, "Enrolment"),
    plan_id: ofPlan,
  },
  report: {
    type: "enrolments",
    label: "Enrolments",
    description: "Current and ended enrolments in each subscription, with amounts billed and owed.",
    dates: "either",
    timeModes: {},
    byAttorney: true,
  },
});

export const listPlanEnrolments = listEndpoint(enrolments, {
  path: "/lrs_subscriptions/:id/enrolments",
  summary: "A plan's current or ended enrolments, by last name",
  params: z.object({ id: IdText }),
  item: PlanEnrolment,
});
