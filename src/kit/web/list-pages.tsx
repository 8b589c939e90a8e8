import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Page } from "#kit/contract/page.ts";
import { alertFailure } from "#kit/web/alerts.tsx";
import { type List, queryClient, useList } from "#kit/web/queries.tsx";
import { usePage } from "#kit/web/ui/Paging.tsx";

/** The most rows printed. A report has all of them. */
export const mostPrinted = 10_000;
const rowsPerFetch = 200;

/** Printing all rows of a list instead of one page. */
export interface Printing {
  print: () => void;
  /** The rows are loading. */
  pending: boolean;
  /** There are more rows than are printed. */
  isTooLong: boolean;
}

export interface ListPages<Rows> extends List<Rows> {
  printing: Printing;
}

type QueryOfPage<Rows> = (page: { page: number; per_page: number }) => {
  queryKey: readonly unknown[];
  queryFn: () => Promise<Rows>;
};

/**
 * As `useList`, for a paged list: the address says which page is shown, and all pages are printed. While printing,
 * `data` holds the rows of all pages.
 */
export function useListPages<Rows extends Page<unknown>>(
  queryOf: QueryOfPage<Rows>,
  {
    rowsPerPage,
    ...options
  }: { rowsPerPage?: number | undefined; refetchEveryMs?: (rows: Rows) => number | false } = {},
): ListPages<Rows> {
  const list = useList({ ...queryOf(usePage(rowsPerPage)), ...options });
  const [whole, setWhole] = useState<Rows | null>(null);
  const [pending, setPending] = useState(false);
  const print = async () => {
    setPending(true);
    try {
      const rows = await fetchAll(queryOf);
      window.addEventListener("afterprint", () => setWhole(null), { once: true });
      flushSync(() => {
        setPending(false);
        setWhole(rows);
      });
      window.print();
    } catch (problem) {
      setPending(false);
      alertFailure(problem instanceof Error ? problem : new Error(String(problem)));
    }
  };
  usePrintKeys(print);
  const printing = {
    print: () => void print(),
    pending,
    isTooLong: (list.data?.total ?? 0) > mostPrinted,
  };
  return whole
    ? { ...list, data: whole, isPlaceholderData: false, printing }
    : { ...list, printing };
}

/** One page after another, so that a long list does not slow down others. */
async function fetchAll<Rows extends Page<unknown>>(queryOf: QueryOfPage<Rows>): Promise<Rows> {
  const fetchPage = (page: number) =>
    queryClient.fetchQuery({ ...queryOf({ page, per_page: rowsPerFetch }), gcTime: 0 });
  const first = await fetchPage(1);
  const items = [...first.items];
  const wanted = Math.min(first.total, mostPrinted);
  for (let page = 2; items.length < wanted; page += 1) {
    const next = await fetchPage(page);
    if (next.items.length === 0) break; // rows were removed since
    items.push(...next.items);
  }
  return { ...first, items: items.slice(0, mostPrinted) };
}

/** Ctrl-P prints the whole list, too. */
function usePrintKeys(print: () => Promise<void>): void {
  const latest = useRef(print);
  useEffect(() => {
    latest.current = print;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "p" || !(event.ctrlKey || event.metaKey)) return;
      if (event.shiftKey || event.altKey || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      void latest.current();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
