import { useState } from "react";
import { Button } from "#web/ui/Button.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Row } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import { EmptyState, Notice } from "#web/ui/states.tsx";
import { NameAndNote } from "#web/ui/NameAndNote.tsx";
import { PaymentStatus } from "#features/payments/PaymentStatus.tsx";
import { ReceiptLink } from "#features/payments/ReceiptLink.tsx";
import { RefundDialog } from "#features/cards/refund/RefundDialog.tsx";
import type { CheckPayment, OnlinePayment } from "#features/payments/shapes.ts";

type Payment = OnlinePayment | CheckPayment;

const initialRows = 25;

const columnsWith = (onRefund: (payment: Payment) => void): Column<Payment>[] => [
  {
    heading: "Subscription & Note",
    cell: ({ name, note }) => <NameAndNote name={name} note={note} />,
  },
  {
    heading: "Paid by",
    nowrap: true,
    cell: (payment) => ("checkNumber" in payment ? `Check ${payment.checkNumber}` : "Card"),
  },
  { heading: "Date", cell: (payment) => <DayText on={payment.createdAt} /> },
  { heading: "Status", cell: (payment) => <PaymentStatus status={payment.status} /> },
  { heading: "Amount", amount: true, cell: (payment) => <Money amount={payment.quantity} /> },
  {
    heading: "Actions",
    actions: true,
    cell: (payment) => (
      <Row gap={12}>
        <ReceiptLink payment={payment} />
        {payment.status === "paid" && (
          <Button
            small
            pending={false}
            label={`Refund ${payment.name}, receipt ${payment.paymentId}`}
            onClick={() => onRefund(payment)}
          >
            Refund
          </Button>
        )}
      </Row>
    ),
  },
];

interface PaymentsTableProps {
  onlinePayments: readonly OnlinePayment[];
  checkPayments: readonly CheckPayment[];
  /** Refetches the attorney's record. */
  onChange: () => Promise<void>;
}

/** What an attorney has paid, by card and by check, newest first: one row per payment and debit. */
export function PaymentsTable({ onlinePayments, checkPayments, onChange }: PaymentsTableProps) {
  const [showsAll, setShowsAll] = useState(false);
  const [refunding, setRefunding] = useState<number | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const payments = [...onlinePayments, ...checkPayments].toSorted(
    (a, b) => b.createdAt.localeCompare(a.createdAt) || b.id - a.id,
  );
  return (
    <>
      <Notice>{done}</Notice>
      <DataTable
        caption="Payments"
        captionHidden
        columns={columnsWith(({ paymentId }) => {
          setDone(null);
          setRefunding(paymentId);
        })}
        rows={showsAll ? payments : payments.slice(0, initialRows)}
        keyOf={(payment) => payment.id}
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
