import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { asking } from "#web/queries.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { TimeText } from "#web/ui/DayText.tsx";
import { Money } from "#web/ui/Money.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { listCardPayments } from "#features/payments/contract.ts";
import type { CardPayment } from "#features/payments/shapes.ts";

/** Payments that were approved and could not be collected: what they paid is owed again. Newest first. */
export function SalesThatFailed() {
  const payments = useQuery(
    asking(listCardPayments, { query: { state: "failed", page: 1, per_page: 50 } }),
  );
  return (
    <DataTable
      caption="Payments that failed at settlement"
      captionHidden
      columns={columns}
      rows={payments.data?.items}
      keyOf={(payment) => payment.id}
      empty={
        <EmptyState title="No payment has failed at settlement">
          A card processor can fail to collect a payment that it approved. What it paid is then owed
          again, the attorney is told by mail, and the payment stands here.
        </EmptyState>
      }
      pending={payments.isFetching}
      error={payments.error}
      onRetry={() => void payments.refetch()}
    />
  );
}

const columns: Column<CardPayment>[] = [
  {
    heading: "Attorney",
    cell: (payment) => (
      <Link to={`/admin/attorneys/${payment.attorneyId}`}>{payment.attorneyName}</Link>
    ),
  },
  { heading: "Paid", cell: ({ createdAt }) => <TimeText at={createdAt} /> },
  { heading: "Failed", cell: ({ failedAt }) => failedAt && <TimeText at={failedAt} /> },
  { heading: "Transaction", cell: ({ transactionId }) => transactionId },
  { heading: "Amount", amount: true, cell: (payment) => <Money amount={payment.amount} /> },
];
