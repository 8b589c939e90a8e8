import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { asking } from "#web/queries.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { TimeText } from "#web/ui/DayText.tsx";
import { Money } from "#web/ui/Money.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { listCardPayments } from "#features/payments/contract.ts";
import type { CardPayment } from "#features/payments/shapes.ts";

/**
 * Payments that were to be given back and were not: they count as paid. Each stands here until it is
 * refunded by another attempt, from its attorney's page.
 */
export function RefundsThatFailed() {
  const payments = useQuery(
    asking(listCardPayments, {
      query: { state: "captured", refund: "failed", page: 1, per_page: 50 },
    }),
  );
  return (
    <DataTable
      caption="Refunds that failed"
      captionHidden
      columns={columns}
      rows={payments.data?.items}
      keyOf={(payment) => payment.id}
      empty={
        <EmptyState title="No refund has failed">
          A card processor can refuse a refund, or return it days after it accepted it. The payment
          then counts as paid, and stands here.
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
  {
    heading: "Asked for",
    cell: ({ refund }) => refund && <TimeText at={refund.createdAt} />,
  },
  { heading: "Reason given", cell: ({ refund }) => refund?.reason },
  { heading: "Why it failed", cell: ({ refund }) => refund?.problem },
  { heading: "Amount", amount: true, cell: (payment) => <Money amount={payment.amount} /> },
];
