import { useQuery } from "@tanstack/react-query";
import { type Cents, formatMoney } from "#kit/domain/money.ts";
import { endpointQuery } from "#kit/web/queries.tsx";
import { VisuallyHidden } from "#kit/web/ui/layout.tsx";
import { listChecks } from "./contract.ts";

/** A page past the last, so that only the counts are read and not the checks. */
const countsOnly = { page: 1_000_000, per_page: 1, status: "pending" as const };

/** The number and sum of pending checks, beside the navigation link. */
export function PendingChecksBadge() {
  const { data } = useQuery(endpointQuery(listChecks, { query: countsOnly }));
  if (!data || data.pending.count === 0) return null;
  const { count, amount } = data.pending;
  return (
    <>
      {count.toLocaleString("en-US")}
      <VisuallyHidden> pending</VisuallyHidden>
      {" · "}
      <Sum amount={amount} />
    </>
  );
}

/** To the cent, or shortened if it would break the navigation row. */
function Sum({ amount }: { amount: Cents }) {
  if (amount < shortFromCents) return formatMoney(amount);
  return (
    <>
      <span aria-hidden="true" title={formatMoney(amount)}>
        {short.format(amount / 100)}
      </span>
      <VisuallyHidden>{formatMoney(amount)}</VisuallyHidden>
    </>
  );
}

const shortFromCents = 100_000_00;
const short = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  notation: "compact",
});
