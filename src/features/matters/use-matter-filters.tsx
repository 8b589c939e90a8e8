import { useAddressFilters } from "#web/address-filters.tsx";
import { matterFilters } from "./MatterStatus.tsx";

/** What the address filters by. */
export function useMatterFilters() {
  const { read, choose } = useAddressFilters<"search" | "status" | "attorney">();
  const asked = read("status");
  const attorney = read("attorney");
  return {
    search: read("search"),
    status: matterFilters.find((status) => status === asked) ?? "",
    attorney: /^[1-9]\d{0,14}$/.test(attorney) ? attorney : null,
    choose,
  };
}
