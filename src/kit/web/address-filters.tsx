import { useLocation, useSearchParams } from "react-router";

/**
 * The filters of a list, stored in the address. Changing one goes back to page 1.
 *
 * A change applies to the address at that moment, not as of the last render: a search arrives shortly after typing,
 * and another filter may have come first. If the user has left the screen, nothing brings them back.
 */
export function useAddressFilters<Name extends string>() {
  const { pathname } = useLocation();
  const [address, setAddress] = useSearchParams();
  const change = (apply: (next: URLSearchParams) => void, replace = false) => {
    if (window.location.pathname !== pathname) return;
    const next = new URLSearchParams(window.location.search);
    next.delete("page");
    apply(next);
    setAddress(next, { replace });
  };
  return {
    /** Empty for a filter that is not in the address. */
    read: (name: Name): string => address.get(name) ?? "",
    has: (name: Name): boolean => address.has(name),
    /** Set one filter, or remove it with an empty value, together with the filters that it makes meaningless. */
    choose: (name: Name, value: string, options?: { replace?: boolean }) =>
      change((next) => {
        if (value === "") next.delete(name);
        else next.set(name, value);
      }, options?.replace),
    /** Set several filters, or remove them with empty values. */
    chooseMany: (values: Partial<Record<Name, string>>, options?: { replace?: boolean }) =>
      change((next) => {
        for (const [name, value] of Object.entries<string | undefined>(values)) {
          if (value === "") next.delete(name);
          else if (value !== undefined) next.set(name, value);
        }
      }, options?.replace),
  };
}
