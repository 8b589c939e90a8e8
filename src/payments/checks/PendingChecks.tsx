import { useQuery } from "@tanstack/react-query";
import { type Cents, formatMoney } from "#kit/domain/money.ts";
import { endpointQuery } from "#kit/web/queries.tsx";
import { VisuallyHidden } from "#kit/web/ui/layout.tsx";
import { listChecks } from "./contract.ts";

/** A page beyond the last: what checks are for, their count does not need. */
const numbersAlone = { page: 1_000_000, per_page: 1, status: "pending" as const };

/** How many checks wait for a decision and what they come to, beside the link to them. */
export function PendingChecks() {
  const { data } = useQuery(endpointQuery(listChecks, { query: numbersAlone }));
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

/** To the cent, but where that would push the links beside it out of their row. */
function Sum({ amount }: { amount: Cents }) {
  if (amount < beginsToBeShort) return formatMoney(amount);
  return (
    <>
      <span aria-hidden="true" title={formatMoney(amount)}>
        {short.format(amount / 100)}
      </span>
      <VisuallyHidden>{formatMoney(amount)}</VisuallyHidden>
    </>
  );
}

const beginsToBeShort = 100_000_00;
const short = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  notation: "compact",
});
