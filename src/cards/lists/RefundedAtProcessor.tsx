import { emailedText } from "#kit/web/mail-delivery.tsx";
import type { Column } from "#kit/web/ui/DataTable.tsx";
import { TimeText } from "#kit/web/ui/DayText.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import type { CardPayment } from "#cards/shapes.ts";
import { CardPaymentsTable } from "./CardPaymentsTable.tsx";

/** Payments voided or refunded in the processor's own pages: their debits are owed again. */
export function RefundedAtProcessor({ isAlone }: { isAlone: boolean }) {
  return (
    <CardPaymentsTable
      caption="Payments refunded at the processor"
      which={{ refund: "done", refund_by: "processor" }}
      columns={columns}
      isAlone={isAlone}
      empty={
        <EmptyState title="No payment was refunded at the processor">
          Payments voided or refunded in the card processor's own pages appear here. Their debits
          are owed again. {emailedText("The attorney is emailed.")}
        </EmptyState>
      }
    />
  );
}

const columns: Column<CardPayment>[] = [
  { heading: "Paid", cell: ({ createdAt }) => <TimeText at={createdAt} /> },
  { heading: "Found", cell: ({ refund }) => refund && <TimeText at={refund.createdAt} /> },
  { heading: "Transaction", cell: ({ transactionId }) => transactionId },
];
