import { useSearchParams } from "react-router";
import { matterFilters } from "./MatterStatus.tsx";

/** What the address filters by. Another filter begins at the first page again. */
export function useMatterFilters() {
  const [address, setAddress] = useSearchParams();
  const asked = address.get("status");
  const attorney = address.get("attorney") ?? "";
  return {
    search: address.get("search") ?? "",
    status: matterFilters.find((status) => status === asked) ?? "",
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
