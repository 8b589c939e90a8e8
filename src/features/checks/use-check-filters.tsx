import { useSearchParams } from "react-router";
import { type Day, isDay } from "#domain/day.ts";
import type { Period } from "#domain/periods.ts";
import { useAddressFilters } from "#web/address-filters.tsx";
import { type Check, checkStatuses } from "./contract.ts";

const names = ["search", "status", "from", "to", "deposited", "attorney_id", "firm_id"] as const;
type FilterName = (typeof names)[number];

/** What the address filters checks by; without a status, those that are pending. */
export function useCheckFilters() {
  const { read, has, choose } = useAddressFilters<FilterName>();
  const [, setAddress] = useSearchParams();
  return {
    search: read("search"),
    status: statusIn(read("status")),
    from: dayIn(read("from")),
    to: dayIn(read("to")),
    deposited: depositedIn(read("deposited")),
    attorneyId: numberIn(read("attorney_id")),
    firmId: numberIn(read("firm_id")),
    isFiltered: names.some(has),
    chooseDays: (period: Period | null) =>
      setAddress(() => {
        const next = new URLSearchParams(window.location.search);
        for (const name of ["page", "from", "to"]) next.delete(name);
        for (const [name, day] of Object.entries(period ?? {})) next.set(name, day);
        return next;
      }),
    choose,
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
