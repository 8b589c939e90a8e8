import { useAddressFilters } from "#web/address-filters.tsx";
import { type AttorneyFilters, attorneyStatuses, owedFor } from "#features/attorneys/shapes.ts";

type Name = "search" | "status" | "owes" | "plan_id" | "firm_id" | "signed_in" | "email";
const names: readonly Name[] = [
  "search",
  "status",
  "owes",
  "plan_id",
  "firm_id",
  "signed_in",
  "email",
];

/** What the address filters the list of attorneys by. */
export function useAttorneyFilters() {
  const { read, has, choose } = useAddressFilters<Name>();
  const readId = (name: Name) =>
    /^[1-9]\d{0,14}$/.test(read(name)) ? Number(read(name)) : undefined;
  const filters: AttorneyFilters = {
    search: read("search"),
    status: attorneyStatuses.find((status) => status === read("status")),
    owes: owedFor.find((days) => days === read("owes")),
    plan_id: readId("plan_id"),
    firm_id: readId("firm_id"),
    signed_in: read("signed_in") === "never" ? "never" : undefined,
    email: read("email") === "refused" ? "refused" : undefined,
  };
  return { filters, isFiltered: names.some(has), choose };
}

export type ChooseFilter = ReturnType<typeof useAttorneyFilters>["choose"];
