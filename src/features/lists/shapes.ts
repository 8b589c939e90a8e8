import { formatDay, isDay } from "#domain/day.ts";
import type { FilterNames, Filters } from "#list/define-list.ts";
import type { ListedAs } from "#list/listed-as.ts";
import { recordLabels } from "#features/activity/shapes.ts";

/** The lists whose rows can be exported, and whose filters can be saved by name. */
export const listNames = [
  "matters",
  "checks",
  "payments",
  "debits",
  "receivables",
  "deposits",
  "activity",
  "reports",
  "mail",
] as const;
export type ListName = (typeof listNames)[number];

/** Which report has the rows of a list. */
export const reportOfList = {
  matters: "matters",
  checks: "checks",
  payments: "payments",
  debits: "subscription_debits",
  receivables: "receivables_as_of",
  deposits: "deposits",
  activity: "activity",
  reports: "reports",
  mail: "mail",
} as const satisfies Record<ListName, string>;

const titles: Record<ListName, string> = {
  matters: "Referrals",
  checks: "Checks",
  payments: "Payments",
  debits: "Debits",
  receivables: "Receivables",
  deposits: "Deposits",
  activity: "Activity",
  reports: "Reports",
  mail: "Mail",
};

const dayWords = (day: string) => (isDay(day) ? formatDay(day) : day);

const bucketWords: Record<string, string> = {
  current: "not overdue",
  days30: "for 1–30 days",
  days60: "for 31–60 days",
  days90: "for 61–90 days",
  over90: "for over 90 days",
};

/** Where a list says a filter in its own words. */
const ownWords: Partial<
  Record<ListName, Record<string, (value: string, names: FilterNames) => string>>
> = {
  checks: {
    from: (day) => `received from ${dayWords(day)}`,
    deposited: (is) => (is === "true" ? "in a deposit" : "in no deposit"),
  },
  payments: {
    method: (method) => (method === "check" ? "by check" : "by card"),
    status: (status) =>
      status.replace("processing", "being confirmed").replace("partly_denied", "denied in part"),
    from: (day) => `made from ${dayWords(day)}`,
  },
  activity: {
    who: (name) => `by ${name}`,
    record_type: (kind) => `of the kind ${(recordLabels[kind] ?? kind).toLowerCase()}`,
    record_id: (id) => `record ${id}`,
    attorney_id: (id, names) => `about ${names["attorney_id"] ?? `attorney ${id}`}`,
  },
  mail: {
    status: (status) => status.replace("gave_up", "not delivered").replace("queued", "waiting"),
    from: (day) => `written from ${dayWords(day)}`,
  },
  reports: { waiting: (which) => (which === "ready" ? "not downloaded yet" : "that failed") },
  receivables: { bucket: (bucket) => `owed: ${bucketWords[bucket] ?? bucket}` },
  debits: { state: (state) => (state === "open" ? "owed" : state) },
};

const words: Record<string, (value: string, names: FilterNames) => string> = {
  from: (day) => `from ${dayWords(day)}`,
  to: (day) => `to ${dayWords(day)}`,
  as_of: (day) => `as of ${dayWords(day)}`,
  min_days: (days) => `overdue for over ${Number(days) - 1} days`,
  report: (report) => `report ${report}`,
  search: (text) => `matching “${text}”`,
  attorney_id: (id, names) => `of ${names["attorney_id"] ?? `attorney ${id}`}`,
  firm_id: (id, names) => `of ${names["firm_id"] ?? `firm ${id}`}`,
  plan_id: (id, names) => `for ${names["plan_id"] ?? `subscription ${id}`}`,
};

/** What a list shows, for people: "Checks, pending, received from 11/01/2026". */
export function listWords(list: ListName, filters: Filters, names: FilterNames = {}): string {
  const parts = Object.entries(filters)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => {
      const own = ownWords[list]?.[name];
      return own ? own(value, names) : (words[name]?.(value, names) ?? value);
    });
  return parts.length === 0 ? `${titles[list]}, all of them` : [titles[list], ...parts].join(", ");
}

/** What the tools above a list's table need to know of it. */
export const listed = (list: ListName): ListedAs => ({
  name: list,
  reportType: reportOfList[list],
  words: wordsOf(list),
});

/** The same of one list. */
export const wordsOf =
  (list: ListName) =>
  (filters: Filters, names: FilterNames): string =>
    listWords(list, filters, names);
