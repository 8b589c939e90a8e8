import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { formatMoney } from "#domain/money.ts";
import { call } from "#web/api.tsx";
import { refetch } from "#web/queries.tsx";
import { Button } from "#web/ui/Button.tsx";
import type { Column } from "#web/ui/DataTable.tsx";
import { TimeText } from "#web/ui/DayText.tsx";
import { Muted } from "#web/ui/layout.tsx";
import { EmptyState, Notice } from "#web/ui/states.tsx";
import { confirmCardPayment, listCardPayments } from "#features/payments/contract.ts";
import type { CardPayment } from "#features/payments/shapes.ts";
import { CardPaymentsTable } from "./CardPaymentsTable.tsx";

/** Card payments whose outcome is not known yet. They are asked about by themselves, and here at once. */
export function CardPaymentsToConfirm() {
  const [said, setSaid] = useState<string | null>(null);
  return (
    <>
      <Notice>{said}</Notice>
      <CardPaymentsTable
        caption="Card payments being confirmed"
        which={{ state: "processing" }}
        columns={columns}
        actions={{
          heading: "Actions",
          actions: true,
          cell: (payment) => <AskNow payment={payment} onSaid={setSaid} />,
        }}
        empty={
          <EmptyState title="No card payment is being confirmed">
            Payments stand here while nobody knows whether the card was charged.
          </EmptyState>
        }
      />
    </>
  );
}

const columns: Column<CardPayment>[] = [
  { heading: "Begun", cell: (payment) => <TimeText at={payment.createdAt} /> },
  { heading: "Reference", cell: (payment) => payment.reference },
  { heading: "Why", cell: (payment) => payment.problem ?? <Muted>Not answered yet</Muted> },
  {
    heading: "Asked again",
    cell: ({ nextLookAt }) => (nextLookAt ? <TimeText at={nextLookAt} /> : <Muted>Soon</Muted>),
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
