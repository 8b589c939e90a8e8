import { useState } from "react";
import { Link } from "react-router";
import { formatMoney } from "#domain/money.ts";
import { PagedTable } from "#list/PagedTable.tsx";
import { endpointQuery, useList } from "#web/queries.tsx";
import { Button } from "#web/ui/Button.tsx";
import type { Column } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Dialog } from "#web/ui/Dialog.tsx";
import { Muted } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import { usePage } from "#web/ui/Paging.tsx";
import { EmptyState, Notice } from "#web/ui/states.tsx";
import { StatusMark } from "#web/ui/StatusMark.tsx";
import { listUnapplied, refundUnapplied } from "#features/cards/contract.ts";
import { RefundForm } from "#features/cards/refund/RefundForm.tsx";
import type { UnappliedPayment } from "#features/cards/shapes.ts";
import { ListEnd } from "./ListEnd.tsx";

/** Money that came by card and for which nothing was owed any more. Alone, what waits for a decision. */
export function UnappliedPayments({ isAlone }: { isAlone: boolean }) {
  const [refunding, setRefunding] = useState<UnappliedPayment | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const which = isAlone ? ({ resolved: "false" } as const) : {};
  const charges = useList(endpointQuery(listUnapplied, { query: { ...which, ...usePage() } }));
  return (
    <>
      <Notice>{done}</Notice>
      <PagedTable
        list={charges}
        caption="Unapplied charges"
        columns={columnsWith((charge) => {
          setDone(null);
          setRefunding(charge);
        })}
        keyOf={(charge) => charge.id}
        empty={
          <EmptyState title="No unapplied charges">
            Card charges that came to more than was owed appear here.
          </EmptyState>
        }
        end={<ListEnd list={charges.data} isAlone={isAlone} first="newest" />}
      />
      {refunding && (
        <RefundUnappliedDialog
          charge={refunding}
          onClose={() => setRefunding(null)}
          onDone={(result) => {
            setDone(result);
            setRefunding(null);
          }}
        />
      )}
    </>
  );
}

const columnsWith = (onRefund: (charge: UnappliedPayment) => void): Column<UnappliedPayment>[] => [
  {
    heading: "Attorney",
    cell: (charge) => (
      <Link to={`/admin/attorneys/${charge.attorneyId}`}>{charge.attorneyName}</Link>
    ),
  },
  { heading: "Date", cell: (charge) => <DayText on={charge.createdAt} /> },
  { heading: "Transaction", cell: (charge) => charge.transactionId },
  {
    heading: "Status",
    cell: ({ resolvedAt }) =>
      resolvedAt ? (
        <StatusMark tone="quiet">Refunded</StatusMark>
      ) : (
        <StatusMark tone="bad">Unapplied</StatusMark>
      ),
  },
  { heading: "Charged", amount: true, cell: (charge) => <Money amount={charge.charged} /> },
  { heading: "Left over", amount: true, cell: (charge) => <Money amount={charge.amount} /> },
  {
    heading: "Actions",
    actions: true,
    cell: (charge) => <NextStep charge={charge} onRefund={onRefund} />,
  },
];

function NextStep({
  charge,
  onRefund,
}: {
  charge: UnappliedPayment;
  onRefund: (charge: UnappliedPayment) => void;
}) {
  if (charge.resolvedAt) return null;
  if (charge.paymentId !== null)
    return <Muted small>Refund the payment on the attorney's page</Muted>;
  return (
    <Button
      small
      pending={false}
      label={`Refund the charge ${charge.transactionId}`}
      onClick={() => onRefund(charge)}
    >
      Refund
    </Button>
  );
}

interface RefundUnappliedDialogProps {
  charge: UnappliedPayment;
  onClose: () => void;
  onDone: (result: string) => void;
}

function RefundUnappliedDialog({ charge, onClose, onDone }: RefundUnappliedDialogProps) {
  const amount = formatMoney(charge.charged);
  return (
    <Dialog title="Refund charge" onClose={onClose}>
      <RefundForm
        label="Refund charge"
        refund={refundUnapplied}
        id={charge.id}
        amount={charge.charged}
        preview={`${amount} goes back to the card of ${charge.attorneyName}. Nothing that is owed changes.`}
        done={`${amount} went back to the card.`}
        onDone={onDone}
      />
    </Dialog>
  );
}
