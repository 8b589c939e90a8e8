import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Money } from "#web/ui/Money.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import type { Attorney } from "#features/attorneys/contract.ts";
import { PaymentStatus } from "#features/payments/PaymentStatus.tsx";
import { ReceiptLink } from "#features/payments/ReceiptLink.tsx";
import { NamedRow, NoteText } from "#features/payments/RowText.tsx";
import type { CheckPayment, OnlinePayment } from "#features/payments/shapes.ts";

type Payment = OnlinePayment | CheckPayment;

const columns: Column<Payment>[] = [
  {
    heading: "Name",
    cell: (payment) => (
      <NamedRow name={payment.name}>
        {"checkNumber" in payment ? `Check ${payment.checkNumber}` : "Card"}{" "}
        <ReceiptLink payment={payment} />
      </NamedRow>
    ),
  },
  { heading: "Note", cell: ({ note }) => <NoteText>{note}</NoteText> },
  { heading: "Amount paid", amount: true, cell: ({ quantity }) => <Money amount={quantity} /> },
  { heading: "Date paid", cell: ({ createdAt }) => <DayText on={createdAt} /> },
  { heading: "Status", cell: ({ status }) => <PaymentStatus status={status} /> },
];

/** One row per payment and debit, newest first. Source: domain rules §4. */
export function PaidTab({ attorney }: { attorney: Attorney }) {
  const payments: Payment[] = [...attorney.onlinePayments, ...attorney.checkPayments];
  return (
    <DataTable
      caption="Paid"
      captionHidden
      columns={columns}
      rows={payments.toSorted(newestFirst)}
      keyOf={(payment) => payment.id}
      empty={
        <EmptyState title="Nothing paid yet">
          Every payment by card or check will stand here with its status.
        </EmptyState>
      }
      pending={false}
      error={null}
      onRetry={() => undefined}
    />
  );
}

function newestFirst(one: Payment, other: Payment): number {
  return other.createdAt.localeCompare(one.createdAt) || other.id - one.id;
}
