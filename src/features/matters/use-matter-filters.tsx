import { useSearchParams } from "react-router";
import { matterStatuses } from "./contract.ts";

/** What the address filters by. Another filter begins at the first page again. */
export function useMatterFilters() {
  const [address, setAddress] = useSearchParams();
  const asked = address.get("status");
  const attorney = address.get("attorney") ?? "";
  return {
    search: address.get("search") ?? "",
    status: matterStatuses.find((status) => status === asked) ?? ("" as const),
    attorney: /^[1-9]\d{0,14}$/.test(attorney) ? attorney : null,
    choose: (
      name: "search" | "status" | "attorney",
      value: string,
      options?: { replace: boolean },
    ) =>
      setAddress((before) => {
        const next = new URLSearchParams(before);
        next.delete("page");
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      }, options),
  };
}
