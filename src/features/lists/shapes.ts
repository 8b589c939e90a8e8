import { formatDay, isDay } from "#domain/day.ts";
import type { FilterNames, Filters } from "#list/define-list.ts";
import type { ListedAs } from "#list/listed-as.ts";

/** The lists whose rows can be exported, and whose filters can be saved by name. */
export const listNames = ["receivables", "reports"] as const;
export type ListName = (typeof listNames)[number];

/** Which report has the rows of a list. */
export const reportOfList = {
  receivables: "receivables_as_of",
  reports: "reports",
} as const satisfies Record<ListName, string>;

const titles: Record<ListName, string> = {
  receivables: "Receivables",
  reports: "Reports",
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
  reports: { waiting: (which) => (which === "ready" ? "not downloaded yet" : "that failed") },
  receivables: { bucket: (bucket) => `owed: ${bucketWords[bucket] ?? bucket}` },
};

const words: Record<string, (value: string, names: FilterNames) => string> = {
  from: (day) => `from ${dayWords(day)}`,
  to: (day) => `to ${dayWords(day)}`,
  as_of: (day) => `as of ${dayWords(day)}`,
  min_days: (days) => `overdue for over ${Number(days) - 1} days`,
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

/** A list, for the tools above its table. */
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
