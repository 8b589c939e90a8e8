import type { Column } from "#kit/web/ui/DataTable.tsx";
import { TimeText } from "#kit/web/ui/DayText.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import type { CardPayment } from "#cards/shapes.ts";
import { CardPaymentsTable } from "./CardPaymentsTable.tsx";

/** Payments whose refund failed: they count as paid. Each is listed until another attempt refunds it, from its page. */
export function FailedRefunds({ isAlone }: { isAlone: boolean }) {
  return (
    <CardPaymentsTable
      caption="Refunds that failed"
      which={{ state: "captured", refund: "failed" }}
      columns={columns}
      isAlone={isAlone}
      empty={
        <EmptyState title="No refund has failed">
          A card processor can refuse a refund, or return it days after it accepted it. The payment
          then counts as paid, and appears here.
        </EmptyState>
      }
    />
  );
}

const columns: Column<CardPayment>[] = [
  { heading: "Asked for", cell: ({ refund }) => refund && <TimeText at={refund.createdAt} /> },
  { heading: "Reason given", cell: ({ refund }) => refund?.reason },
  { heading: "Why it failed", cell: ({ refund }) => refund?.problem },
];
