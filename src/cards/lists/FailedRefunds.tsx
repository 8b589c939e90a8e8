import type { Column } from "#kit/web/ui/DataTable.tsx";
import { TimeText } from "#kit/web/ui/DayText.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import type { CardPayment } from "#cards/shapes.ts";
import { CardPaymentsTable } from "./CardPaymentsTable.tsx";

/**
 * Payments whose refund failed: they still count as paid. Each is listed until a new refund, made on its
 * page, succeeds.
 */
export function FailedRefunds({ isAlone }: { isAlone: boolean }) {
  return (
    <CardPaymentsTable
      caption="Refunds that failed"
      which={{ state: "captured", refund: "failed" }}
      columns={columns}
      isAlone={isAlone}
      empty={
        <EmptyState title="No refund has failed">
          A card processor can refuse a refund, or return it days after accepting it. The payment
          then still counts as paid, and appears here.
        </EmptyState>
      }
    />
  );
}

const columns: Column<CardPayment>[] = [
  { heading: "Requested", cell: ({ refund }) => refund && <TimeText at={refund.createdAt} /> },
  { heading: "Reason given", cell: ({ refund }) => refund?.reason },
  { heading: "Why it failed", cell: ({ refund }) => refund?.problem },
];
