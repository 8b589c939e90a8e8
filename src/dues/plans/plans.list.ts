import { sortNames } from "#kit/list/list-endpoint.ts";
import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { sortBy } from "#kit/contract/sort.ts";
import { Plan } from "#dues/plans/contract.ts";
import { dayOf, defineList, money, number, text, word } from "#kit/list/define-list.ts";

/** The network's plans. The call returns all of them; the screen shows those not archived. */
export const plans = defineList({
  name: "plans",
  title: "Subscriptions",
  thing: "subscription",
  path: "/admin/subscriptions",
  columns: {
    subscription_id: number("Subscription ID"),
    name: text("Name", { sort: "name" }),
    description: text("Description"),
    payment_schedule: text("Payment schedule"),
    amount: money("Amount", { sort: "amount" }),
    enrolled: number("Enrolled", { sort: "enrolled" }),
    billed: money("Billed"),
    owed: money("Owed"),
    created_on: dayOf("Created on"),
    archived_on: dayOf("Archived on"),
    actions: word("Actions", { screenOnly: true, actions: true }),
  },
  screen: {
    name: "Name",
    amount: "Payment schedule",
    enrolled: "Enrolled",
    actions: "Actions",
  },
  filters: {},
  report: {
    type: "subscriptions",
    label: "Subscriptions",
    description: "All subscriptions, with the number enrolled and amounts billed and owed.",
    dates: "none",
    timeModes: {},
    byAttorney: false,
  },
});

export const listPlans = endpoint({
  method: "GET",
  path: "/lrs_subscriptions/",
  summary: "All plans, archived ones included, newest first",
  query: z.object({ sort: sortBy(...sortNames(plans)) }),
  object: z.array(Plan),
});
