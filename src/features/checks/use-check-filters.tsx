import { type Day, isDay } from "#domain/day.ts";
import type { Period } from "#domain/periods.ts";
import { useAddressFilters } from "#web/address-filters.tsx";
import { type Check, checkStatuses } from "./contract.ts";

const names = ["search", "status", "from", "to", "deposited", "attorney_id", "firm_id"] as const;
type FilterName = (typeof names)[number];

/** What the address filters checks by; without a status, those that are pending. */
export function useCheckFilters() {
  const { read, has, choose, chooseMany } = useAddressFilters<FilterName>();
  return {
    search: read("search"),
    status: statusIn(read("status")),
    from: dayIn(read("from")),
    to: dayIn(read("to")),
    deposited: depositedIn(read("deposited")),
    attorneyId: numberIn(read("attorney_id")),
    firmId: numberIn(read("firm_id")),
    isFiltered: names.some(has),
    choose,
    chooseDays: (period: Period | null) => chooseMany({ from: "", to: "", ...period }),
  };
}

export type CheckFilters = ReturnType<typeof useCheckFilters>;

function statusIn(text: string): Check["status"] | "all" {
  return text === "all" ? text : (checkStatuses.find((status) => status === text) ?? "pending");
}

function depositedIn(text: string): "true" | "false" | "" {
  return text === "true" || text === "false" ? text : "";
}

function numberIn(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

function dayIn(text: string): Day | undefined {
  return isDay(text) ? text : undefined;
}
