import type { z } from "zod";
import { formatDay, isDay } from "#kit/domain/day.ts";
import { Day } from "#kit/contract/fields.ts";
import { attorneyColumns } from "#panel/attorney-columns.list.ts";
import { day, defineList, type Filter, money, oneOf } from "#kit/list/define-list.ts";

const ages = {
  current: "Current",
  days30: "1–30 days",
  days60: "31–60 days",
  days90: "61–90 days",
  over90: "Over 90 days",
} as const;

/** The filter in words, such as "owed: for over 90 days". */
function ageWords(age: string): string {
  if (age === "current") return "owed: not overdue";
  const labels: Record<string, string> = ages;
  return `owed: for ${(labels[age] ?? age).toLowerCase()}`;
}

/** Today unless another day is chosen. */
const asOf: Filter<z.ZodOptional<typeof Day>> = {
  schema: Day.optional(),
  field: { kind: "day", label: "As of" },
  words: (last) => `as of ${isDay(last) ? formatDay(last) : last}`,
};

/** Each attorney's debt at the end of a day, by days overdue, and their credit. */
export const receivables = defineList({
  name: "receivables",
  title: "Receivables",
  thing: "attorney",
  path: "/admin/receivables",
  columns: {
    as_of: day("As of"),
    ...attorneyColumns,
    current: money(ages.current, {
      tooltip: "Due on that day or later",
      sort: "current",
      total: "current",
    }),
    days_1_to_30: money(ages.days30, { sort: "days30", total: "days30" }),
    days_31_to_60: money(ages.days60, { sort: "days60", total: "days60" }),
    days_61_to_90: money(ages.days90, { sort: "days90", total: "days90" }),
    over_90_days: money(ages.over90, { sort: "over90", total: "over90" }),
    balance: money("Total owed", { sort: "total", total: "total" }),
    credit: money("Credit", {
      tooltip: "Received by that day and not applied. Not subtracted from the total owed.",
      sort: "credit",
      total: "credit",
    }),
  },
  screen: {
    attorney_name: "Attorney",
    current: ages.current,
    days_1_to_30: ages.days30,
    days_31_to_60: ages.days60,
    days_61_to_90: ages.days90,
    over_90_days: ages.over90,
    balance: "Total owed",
    credit: "Credit",
  },
  filters: {
    as_of: asOf,
    bucket: {
      ...oneOf(ages, "Owed for", ageWords),
      field: {
        kind: "choice",
        label: "Owed for",
        usual: "",
        options: () => [
          { value: "", label: "Any time" },
          ...Object.entries(ages).map(([value, label]) => ({ value, label })),
        ],
      },
    },
  },
  report: {
    type: "receivables_as_of",
    label: "Receivables as of a date",
    description:
      "What each attorney owed at the end of the range’s last day, by days overdue, and their credit on that day.",
    dates: "as-of",
    timeModes: {},
    byAttorney: false,
  },
});
