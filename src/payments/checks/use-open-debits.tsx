import { useQuery } from "@tanstack/react-query";
import { call } from "#kit/web/api.tsx";
import { type DebitOfAttorney } from "#dues/ledger/contract.ts";
import { listDebits } from "#dues/ledger/debits.list.ts";
import type { Payer } from "./PayerSelect.tsx";

/** The open debits of a payer's attorneys, oldest due first. */
export interface OpenDebits {
  items: DebitOfAttorney[];
  /** The number of all open debits. At most 1,000 are in `items`, as one check can pay no more. */
  total: number;
}

const perPage = 200;
const mostPages = 5;

/** All open debits that a payer's check can pay. Nearly always one call. */
export function useOpenDebits(payer: Payer | null) {
  const of = payer?.kind === "firm" ? { firm_id: payer.id } : { attorney_id: payer?.id };
  return useQuery({
    queryKey: [listDebits.path, { state: "open", ...of }],
    queryFn: () => loadAll(of),
    enabled: payer !== null,
  });
}

async function loadAll(of: { firm_id: number } | { attorney_id: number | undefined }) {
  const query = { state: "open" as const, per_page: perPage, ...of };
  const found = new Map<number, DebitOfAttorney>();
  let total = 0;
  for (let page = 1; page <= mostPages; page += 1) {
    const list = await call(listDebits, { query: { ...query, page } });
    for (const debit of list.items) found.set(debit.id, debit); // a debit may move to the next page between calls
    ({ total } = list);
    if (list.items.length < perPage) break;
  }
  return { items: [...found.values()], total };
}
