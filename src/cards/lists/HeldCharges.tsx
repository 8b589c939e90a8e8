import { useState } from "react";
import { Link } from "react-router";
import { PagedTable } from "#kit/list/PagedTable.tsx";
import { endpointQuery, useList } from "#kit/web/queries.tsx";
import type { Column } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { usePage } from "#kit/web/ui/Paging.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import { listHeldCharges } from "#cards/contract.ts";
import type { HeldCharge } from "#cards/shapes.ts";
import { CheckNowButton } from "./CheckNowButton.tsx";
import { ListEnd } from "./ListEnd.tsx";

/** Authorised charges that settle only after the network accepts them. */
export function HeldCharges({ isAlone }: { isAlone: boolean }) {
  const [result, setResult] = useState<string | null>(null);
  const held = useList(endpointQuery(listHeldCharges, { query: usePage() }));
  return (
    <>
      <Notice>{result}</Notice>
      <PagedTable
        list={held}
        caption="Held for review at the processor"
        columns={[...columns, actions(setResult)]}
        keyOf={({ reference }) => reference}
        empty={
          <EmptyState title="No charge is held for review">
            A card processor can hold a charge until you accept or decline it there. The amounts
            stay reserved until then.
          </EmptyState>
        }
        end={<ListEnd list={held.data} isAlone={isAlone} first="oldest" />}
      />
    </>
  );
}

const columns: Column<HeldCharge>[] = [
  {
    heading: "Attorney",
    cell: ({ attorneyId, attorneyName, paymentId }) => (
      <Link
        to={
          paymentId === null
            ? `/admin/attorneys/${attorneyId}`
            : `/admin/card-payments/${paymentId}`
        }
      >
        {attorneyName}
      </Link>
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

const actions = (onResult: (words: string) => void): Column<HeldCharge> => ({
  heading: "Actions",
  actions: true,
  cell: ({ paymentId, reference }) =>
    paymentId === null ? (
      <Muted small>Checked about every hour</Muted>
    ) : (
      <CheckNowButton paymentId={paymentId} reference={reference} onResult={onResult} />
    ),
});
