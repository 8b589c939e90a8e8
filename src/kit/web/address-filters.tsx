import { useLocation, useSearchParams } from "react-router";

/**
 * The filters of a list, which stand in the address. Another filter begins at the first page again.
 *
 * A filter goes into the address as it is at that moment, and not as it was when the screen was rendered: a search
 * comes a moment after its typing, and another filter may have come between. Where the screen has been left meanwhile,
 * nobody is led back to it.
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
    /** Of a filter that is not in the address: empty. */
    read: (name: Name): string => address.get(name) ?? "",
    has: (name: Name): boolean => address.has(name),
    /** Set one filter, or take it out by an empty value, together with those that it makes meaningless. */
    choose: (name: Name, value: string, options?: { replace?: boolean }) =>
      change((next) => {
        if (value === "") next.delete(name);
        else next.set(name, value);
      }, options?.replace),
    /** Set several filters at once, or take them out by empty values. */
    chooseMany: (values: Partial<Record<Name, string>>, options?: { replace?: boolean }) =>
      change((next) => {
        for (const [name, value] of Object.entries<string | undefined>(values)) {
          if (value === "") next.delete(name);
          else if (value !== undefined) next.set(name, value);
        }
      }, options?.replace),
  };
}
