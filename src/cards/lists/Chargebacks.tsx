import { useState } from "react";
import type { Column } from "#kit/web/ui/DataTable.tsx";
import { DayText, TimeText } from "#kit/web/ui/DayText.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import type { CardPayment } from "#cards/shapes.ts";
import { lastChargebackOf } from "#cards/transactions/chargebacks.tsx";
import { CardPaymentsTable } from "./CardPaymentsTable.tsx";
import { SeenButton } from "./SeenButton.tsx";

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
            When a payer's bank takes back a card payment, it is listed here, and its debits are
            owed again. The attorney is not emailed. Contact them if needed.
          </EmptyState>
        }
      />
    </>
  );
}

const columns: Column<CardPayment>[] = [
  { heading: "Paid", cell: ({ createdAt }) => <TimeText at={createdAt} /> },
  {
    heading: "Charged back",
    cell: (payment) => {
      const last = lastChargebackOf(payment);
      return last && <DayText on={last.on} />;
    },
  },
  {
    heading: "Amount charged back",
    amount: true,
    cell: ({ unseenChargebacks }) => <Money amount={unseenChargebacks} />,
  },
  { heading: "Transaction", wideOnly: true, cell: ({ transactionId }) => transactionId },
];
