import { emailedText } from "#kit/web/mail-delivery.tsx";
import type { Column } from "#kit/web/ui/DataTable.tsx";
import { TimeText } from "#kit/web/ui/DayText.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import type { CardPayment } from "#cards/shapes.ts";
import { CardPaymentsTable } from "./CardPaymentsTable.tsx";

/**
 * Payments that were approved but not collected: their debits are owed again. As the only list, just those
 * with a debit still owed.
 */
export function FailedSales({ isAlone }: { isAlone: boolean }) {
  return (
    <CardPaymentsTable
      caption="Payments that failed at settlement"
      which={{ state: "failed", ...(isAlone && { owed: "true" }) }}
      columns={columns}
      isAlone={isAlone}
      empty={
        <EmptyState title="No payment has failed at settlement">
          A card processor can fail to collect a payment that it approved. Its debits are then owed
          again, and the payment appears here. {emailedText("The attorney is emailed.")}
        </EmptyState>
      }
    />
  );
}

const columns: Column<CardPayment>[] = [
  { heading: "Paid", cell: ({ createdAt }) => <TimeText at={createdAt} /> },
  { heading: "Failed", cell: ({ failedAt }) => failedAt && <TimeText at={failedAt} /> },
  { heading: "Transaction", cell: ({ transactionId }) => transactionId },
];
