import { formatMoney } from "#kit/domain/money.ts";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Stack } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import type { Attorney } from "#people/contract.ts";
import { PaymentStatus, statusOfPart } from "#payments/PaymentStatus.tsx";
import { ReceiptLink } from "#payments/ReceiptLink.tsx";
import { NamedRow, NoteText } from "#payments/NamedRow.tsx";
import type {
  CheckPayment,
  CreditPayment,
  OnlinePayment,
  ReversedOnlinePayment,
} from "#people/contract.ts";

/** Credit has no debit and no note; its row is identified by its payment. */
type Payment =
  | OnlinePayment
  | ReversedOnlinePayment
  | CheckPayment
  | (CreditPayment & { name: string; note: string });

const columnsFor = (payments: readonly Payment[]): Column<Payment>[] => [
  {
    heading: "Name",
    cell: (payment) => (
      <NamedRow name={payment.name}>
        {"checkNumber" in payment && payment.checkNumber !== null
          ? `Check ${payment.checkNumber}`
          : "Card"}{" "}
        <ReceiptLink
          payment={{
            ...payment,
            status: isPending(payment, payments) ? "pending" : statusOfPart(payment),
          }}
        />
      </NamedRow>
    ),
  },
  { heading: "Note", cell: ({ note }) => <NoteText>{note}</NoteText> },
  {
    heading: "Amount paid",
    amount: true,
    cell: (payment) => (
      <Stack gap={4}>
        <Money amount={payment.quantity} />
        {"received" in payment && statusOfPart(payment) === "partly refunded" && (
          <Muted small>{formatMoney(payment.received)} received</Muted>
        )}
      </Stack>
    ),
  },
  { heading: "Date paid", cell: ({ createdAt }) => <DayText on={createdAt} /> },
  { heading: "Status", cell: (payment) => <PaymentStatus status={statusOfPart(payment)} /> },
];

/** One row per payment and debit, and one for any part kept as credit, newest first. Source: domain rules §4. */
export function PaidTab({ attorney }: { attorney: Attorney }) {
  const kept = attorney.creditPayments.map((credit) => ({
    ...credit,
    name: credit.checkNumber === null ? "Card payment, kept as credit" : "Kept as credit",
    note: "",
  }));
  const payments: Payment[] = [
    ...attorney.onlinePayments,
    ...attorney.reversedOnlinePayments,
    ...attorney.checkPayments,
    ...kept,
  ];
  return (
    <DataTable
      caption="Paid"
      captionHidden
      columns={columnsFor(payments)}
      rows={payments.toSorted(newestFirst)}
      keyOf={keyOf}
      empty={
        <EmptyState title="Nothing paid yet">
          Every payment by card or check will appear here with its status.
        </EmptyState>
      }
      pending={false}
      error={null}
      onRetry={() => undefined}
    />
  );
}

/** A payment has no receipt while any part of it is pending. */
const isPending = ({ paymentId }: Payment, payments: readonly Payment[]): boolean =>
  payments.some((part) => part.paymentId === paymentId && part.status === "pending");

function newestFirst(one: Payment, other: Payment): number {
  return (
    other.createdAt.localeCompare(one.createdAt) ||
    other.paymentId - one.paymentId ||
    ("id" in other ? other.id : 0) - ("id" in one ? one.id : 0)
  );
}

const keyOf = (payment: Payment) =>
  "id" in payment ? payment.id : `credit of ${payment.paymentId}`;
