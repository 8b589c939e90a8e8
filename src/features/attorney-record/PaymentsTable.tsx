import { type ReactNode, useState } from "react";
import { type Cents, sum } from "#domain/money.ts";
import { RefundDialog } from "#features/cards/refund/RefundDialog.tsx";
import { PaymentStatus } from "#features/payments/PaymentStatus.tsx";
import { ReceiptLink } from "#features/payments/ReceiptLink.tsx";
import type { CheckPayment, OnlinePayment } from "#features/payments/shapes.ts";
import { Button } from "#web/ui/Button.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Disclosure } from "#web/ui/Disclosure.tsx";
import { Muted, Row, Stack } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import { NameAndNote } from "#web/ui/NameAndNote.tsx";
import { EmptyState, Notice } from "#web/ui/states.tsx";
import css from "./attorney-record.module.css";

type Share = OnlinePayment | CheckPayment;

/** One check or one card payment, with the shares that it has in debits. */
interface Payment {
  /** The first share, in which all are alike but for the debit. */
  first: Share;
  shares: readonly Share[];
  title: string;
  amount: Cents;
  /** Shares of a check are decided one by one; what has become of any of them, once each. */
  statuses: readonly Share["status"][];
}

const initialRows = 10;

const columnsWith = (onRefund: (paymentId: number) => void): Column<Payment>[] => [
  { heading: "Subscription & Note", cell: (payment) => <PaidDebits of={payment} /> },
  {
    heading: "Paid by",
    nowrap: true,
    cell: ({ first }) => ("checkNumber" in first ? `Check ${first.checkNumber}` : "Card"),
  },
  { heading: "Date", cell: ({ first }) => <DayText on={first.createdAt} /> },
  {
    heading: "Status",
    cell: ({ statuses }) => (
      <Stack gap={4}>
        {statuses.map((status) => (
          <PaymentStatus key={status} status={status} />
        ))}
      </Stack>
    ),
  },
  { heading: "Amount", amount: true, cell: ({ amount }) => <Money amount={amount} /> },
  {
    heading: "Actions",
    actions: true,
    cell: (payment) => <PaymentActions of={payment} onRefund={onRefund} />,
  },
];

interface PaymentsTableProps {
  onlinePayments: readonly OnlinePayment[];
  checkPayments: readonly CheckPayment[];
  /** Refetches the attorney's record. */
  onChange: () => Promise<void>;
}

/** What an attorney has paid, by card and by check, newest first: one row a payment, which opens. */
export function PaymentsTable({ onlinePayments, checkPayments, onChange }: PaymentsTableProps) {
  const [showsAll, setShowsAll] = useState(false);
  const [refunding, setRefunding] = useState<number | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const payments = paymentsOf([...onlinePayments, ...checkPayments]);
  return (
    <>
      <Notice>{done}</Notice>
      <DataTable
        caption="Payments"
        captionHidden
        columns={columnsWith((paymentId) => {
          setDone(null);
          setRefunding(paymentId);
        })}
        rows={showsAll ? payments : payments.slice(0, initialRows)}
        keyOf={({ first }) => first.paymentId}
        empty={<EmptyState title="No payments yet" />}
        pending={false}
        error={null}
        onRetry={() => void onChange()}
      />
      {payments.length > initialRows && !showsAll && (
        <div>
          <Button pending={false} onClick={() => setShowsAll(true)}>
            {`Show all ${payments.length.toLocaleString("en-US")} payments`}
          </Button>
        </div>
      )}
      {refunding !== null && (
        <RefundDialog
          paymentId={refunding}
          onClose={() => setRefunding(null)}
          onChange={onChange}
          onDone={(result) => {
            setDone(result);
            setRefunding(null);
          }}
        />
      )}
    </>
  );
}

/** The payments that shares belong to, newest first; within one, the debit due first stands first. */
function paymentsOf(shares: readonly Share[]): Payment[] {
  const byPayment = Map.groupBy(shares, ({ paymentId }) => paymentId);
  return [...byPayment.values()]
    .flatMap((own) => {
      const sorted = own.toSorted((a, b) => a.dueDate.localeCompare(b.dueDate) || a.id - b.id);
      const [first] = sorted;
      if (!first) return [];
      const amount = sum(sorted.map(({ quantity }) => quantity));
      const statuses = [...new Set(sorted.map(({ status }) => status))];
      return [{ first, shares: sorted, title: titleOf(sorted, first), amount, statuses }];
    })
    .toSorted(
      (a, b) =>
        b.first.createdAt.localeCompare(a.first.createdAt) || b.first.paymentId - a.first.paymentId,
    );
}

/** "Panel dues" for one debit, "Panel dues, 6 debits" for six of one plan, else "Panel dues and 5 more". */
function titleOf(shares: readonly Share[], { name }: Share): string {
  if (shares.length === 1) return name;
  return shares.every((share) => share.name === name)
    ? `${name}, ${shares.length} debits`
    : `${name} and ${shares.length - 1} more`;
}

function PaidDebits({ of: { first, shares, title, statuses } }: { of: Payment }) {
  if (shares.length === 1) return <NameAndNote name={first.name} note={first.note} />;
  return (
    <Disclosure summary={title}>
      <ul className={css["shares"]}>
        {shares.map(({ id, name, note, dueDate, quantity, status }) => (
          <li key={id}>
            <Stack gap={4}>
              <span>{name}</span>
              <Muted small>
                Due <DayText on={dueDate} />
                {note && ` · ${note}`}
              </Muted>
            </Stack>
            <span>{statuses.length > 1 && <PaymentStatus status={status} />}</span>
            <Money amount={quantity} />
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}

interface PaymentActionsProps {
  of: Payment;
  onRefund: (paymentId: number) => void;
}

/** One receipt and one refund, of the payment as a whole. */
function PaymentActions({
  of: { first, shares, title },
  onRefund,
}: PaymentActionsProps): ReactNode {
  const settled = shares.find(({ status }) => status === "paid" || status === "approved") ?? first;
  return (
    <Row gap={12}>
      <ReceiptLink payment={{ ...settled, name: title }} />
      {first.status === "paid" && (
        <Button
          small
          pending={false}
          label={`Refund ${title}, receipt ${first.paymentId}`}
          onClick={() => onRefund(first.paymentId)}
        >
          Refund
        </Button>
      )}
    </Row>
  );
}
