import { useQuery } from "@tanstack/react-query";
import { formatMoney } from "#domain/money.ts";
import { endpointQuery } from "#web/queries.tsx";
import { VisuallyHidden } from "#web/ui/layout.tsx";
import { listChecks } from "./contract.ts";

/** How many checks wait for a decision and what they come to, beside the link to them. */
export function PendingChecks() {
  const { data } = useQuery(
    endpointQuery(listChecks, { query: { page: 1, per_page: 1, search: "", status: "pending" } }),
  );
  if (!data || data.pending.count === 0) return null;
  const { count, amount } = data.pending;
  return (
    <>
      {count.toLocaleString("en-US")}
      <VisuallyHidden> pending</VisuallyHidden>
      {` · ${formatMoney(amount)}`}
    </>
  );
}
