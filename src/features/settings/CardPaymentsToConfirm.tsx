import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { formatMoney } from "#domain/money.ts";
import { call } from "#web/api.tsx";
import { asking, refetch } from "#web/queries.tsx";
import { Button } from "#web/ui/Button.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { TimeText } from "#web/ui/DayText.tsx";
import { Muted } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import { EmptyState, Notice } from "#web/ui/states.tsx";
import { confirmCardPayment, listCardPayments } from "#features/payments/contract.ts";
import type { CardPayment } from "#features/payments/shapes.ts";

const most = 50;

/** Card payments whose outcome is not known yet. They are asked about by themselves, and here at once. */
export function CardPaymentsToConfirm() {
  const [said, setSaid] = useState<string | null>(null);
  const payments = useQuery(
    asking(listCardPayments, { query: { state: "processing", page: 1, per_page: most } }),
  );
  const total = payments.data?.total ?? 0;
  return (
    <>
      <Notice>{said}</Notice>
      <DataTable
        caption="Card payments being confirmed"
        captionHidden
        columns={columnsWith(setSaid)}
        rows={payments.data?.items}
        keyOf={(payment) => payment.id}
        empty={
          <EmptyState title="No card payment is being confirmed">
            Payments stand here while nobody knows whether the card was charged.
          </EmptyState>
        }
        pending={payments.isFetching}
        error={payments.error}
        onRetry={() => void payments.refetch()}
      />
      {total > most && (
        <Muted small>{`The newest ${most} of ${total.toLocaleString("en-US")}.`}</Muted>
      )}
    </>
  );
}

const columnsWith = (onSaid: (words: string) => void): Column<CardPayment>[] => [
  {
    heading: "Attorney",
    cell: (payment) => (
      <Link to={`/admin/attorneys/${payment.attorneyId}`}>{payment.attorneyName}</Link>
    ),
  },
  { heading: "Begun", cell: (payment) => <TimeText at={payment.createdAt} /> },
  { heading: "Reference", cell: (payment) => payment.reference },
  { heading: "Why", cell: (payment) => payment.problem ?? <Muted>Not answered yet</Muted> },
  {
    heading: "Asked again",
    cell: ({ nextLookAt }) => (nextLookAt ? <TimeText at={nextLookAt} /> : <Muted>Soon</Muted>),
  },
  { heading: "Amount", amount: true, cell: (payment) => <Money amount={payment.amount} /> },
  {
    heading: "Actions",
    actions: true,
    cell: (payment) => <AskNow payment={payment} onSaid={onSaid} />,
  },
];

function AskNow({ payment, onSaid }: { payment: CardPayment; onSaid: (words: string) => void }) {
  const asked = useMutation({
    mutationFn: () => call(confirmCardPayment, { params: { id: payment.id } }),
    onSuccess: async (now) => {
      onSaid(outcomeWords(now));
      await refetch(listCardPayments);
    },
  });
  return (
    <Button
      small
      pending={asked.isPending}
      label={`Ask the processor about payment ${payment.reference}`}
      onClick={() => asked.mutate()}
    >
      Ask now
    </Button>
  );
}

const outcomes: Record<CardPayment["state"], string> = {
  processing: "is still being confirmed",
  captured: "was charged and is posted",
  declined: "was not charged; its debits are owed as before",
  refunded: "was charged and has been given back",
  failed: "could not be collected; its debits are owed again",
};

function outcomeWords({ amount, attorneyName, state }: CardPayment): string {
  return `The payment of ${formatMoney(amount)} by ${attorneyName} ${outcomes[state]}.`;
}
