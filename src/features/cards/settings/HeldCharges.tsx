import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { asking } from "#web/queries.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Muted } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import { EmptyState, Notice } from "#web/ui/states.tsx";
import { listHeldCharges } from "#features/cards/contract.ts";
import type { HeldCharge } from "#features/cards/shapes.ts";
import { AskNow } from "./CheckNowButton.tsx";

const most = 50;

/** Charges that were authorised and settle only once somebody at the network accepts them. */
export function HeldCharges() {
  const [said, setSaid] = useState<string | null>(null);
  const held = useQuery(asking(listHeldCharges, { query: { page: 1, per_page: most } }));
  const total = held.data?.total ?? 0;
  return (
    <>
      <Notice>{said}</Notice>
      <DataTable
        caption="Held for review at the processor"
        captionHidden
        columns={[...columns, actions(setSaid)]}
        rows={held.data?.items}
        keyOf={({ reference }) => reference}
        empty={
          <EmptyState title="No charge is held for review">
            A card processor can hold a charge until you accept or decline it there. Its amounts
            stay reserved meanwhile.
          </EmptyState>
        }
        pending={held.isFetching}
        error={held.error}
        onRetry={() => void held.refetch()}
      />
      {total > most && (
        <Muted small>{`The oldest ${most} of ${total.toLocaleString("en-US")}.`}</Muted>
      )}
    </>
  );
}

const columns: Column<HeldCharge>[] = [
  {
    heading: "Attorney",
    cell: ({ attorneyId, attorneyName }) => (
      <Link to={`/admin/attorneys/${attorneyId}`}>{attorneyName}</Link>
    ),
  },
  { heading: "Date", cell: ({ createdAt }) => <DayText on={createdAt} /> },
  { heading: "Transaction", cell: ({ transactionId }) => transactionId },
  {
    heading: "What to do",
    cell: ({ problem, reviewedIn }) => problem ?? `Accept or decline it in ${reviewedIn}`,
  },
  { heading: "Amount", amount: true, cell: ({ amount }) => <Money amount={amount} /> },
];

const actions = (onSaid: (words: string) => void): Column<HeldCharge> => ({
  heading: "Actions",
  actions: true,
  cell: ({ paymentId, reference }) =>
    paymentId === null ? (
      <Muted small>Asked about every hour</Muted>
    ) : (
      <AskNow paymentId={paymentId} reference={reference} onSaid={onSaid} />
    ),
});
