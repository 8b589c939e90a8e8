import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { formatMoney } from "#domain/money.ts";
import { call } from "#web/api.tsx";
import { Button } from "#web/ui/Button.tsx";
import type { Column } from "#web/ui/DataTable.tsx";
import { DayText, TimeText } from "#web/ui/DayText.tsx";
import { Money } from "#web/ui/Money.tsx";
import { EmptyState, Notice } from "#web/ui/states.tsx";
import { seeChargebacks } from "#features/cards/contract.ts";
import type { CardPayment } from "#features/cards/shapes.ts";
import { CardPaymentsTable } from "./CardPaymentsTable.tsx";

/** Payments that the payer's bank took back, until somebody has looked at them. */
export function Chargebacks({ isAlone }: { isAlone: boolean }) {
  const [done, setDone] = useState<string | null>(null);
  return (
    <>
      <Notice>{done}</Notice>
      <CardPaymentsTable
        caption="Chargebacks to look at"
        which={{ chargeback: "unseen" }}
        columns={columns}
        actions={{
          heading: "Actions",
          actions: true,
          cell: (payment) => <SeenButton payment={payment} onSeen={setDone} />,
        }}
        isAlone={isAlone}
        empty={
          <EmptyState title="No chargebacks to look at">
            When a payer's bank takes a card payment back, it is listed here. What it paid is then
            owed again. Nobody is told by mail: decide what to say.
          </EmptyState>
        }
      />
    </>
  );
}

const lastOf = ({ transactions }: CardPayment) =>
  transactions.findLast(({ kind }) => kind === "chargeback");

const columns: Column<CardPayment>[] = [
  { heading: "Paid", cell: ({ createdAt }) => <TimeText at={createdAt} /> },
  {
    heading: "Charged back",
    cell: (payment) => {
      const last = lastOf(payment);
      return last && <DayText on={last.on} />;
    },
  },
  {
    heading: "Taken back",
    amount: true,
    cell: (payment) => {
      const last = lastOf(payment);
      return last && <Money amount={last.amount} />;
    },
  },
  { heading: "Transaction", cell: ({ transactionId }) => transactionId },
];

interface SeenButtonProps {
  payment: CardPayment;
  /** Called with a sentence that says what was done. */
  onSeen: (words: string) => void;
}

function SeenButton({ payment, onSeen }: SeenButtonProps) {
  const seen = useMutation({
    mutationFn: () => call(seeChargebacks, { params: { id: payment.id } }),
    onSuccess: ({ amount, attorneyName }) =>
      onSeen(`The chargeback of ${formatMoney(amount)} by ${attorneyName} is off this list.`),
  });
  return (
    <Button
      small
      pending={seen.isPending}
      label={`Looked at the chargeback of payment ${payment.reference}`}
      onClick={() => seen.mutate()}
    >
      Looked at
    </Button>
  );
}
