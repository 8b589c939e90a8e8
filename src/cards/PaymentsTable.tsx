import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { type Cents, cents, formatMoney, sum } from "#kit/domain/money.ts";
import { RefundDialog } from "#cards/refund/RefundDialog.tsx";
import type { Attorney } from "#people/contract.ts";
import { PaymentStatus, statusOfPart } from "#payments/PaymentStatus.tsx";
import { ReceiptLink } from "#payments/ReceiptLink.tsx";
import type { paymentStatuses } from "#payments/shapes.ts";
import type {
  CheckPayment,
  CreditPayment,
  OnlinePayment,
  ReversedOnlinePayment,
} from "#people/contract.ts";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Disclosure } from "#kit/web/ui/Disclosure.tsx";
import { Muted, Row, Stack } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { NameAndNote } from "#kit/web/ui/NameAndNote.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import css from "./payments-table.module.css";

type Status = keyof typeof paymentStatuses;
type Share = OnlinePayment | ReversedOnlinePayment | CheckPayment;

/** One check or card payment: its shares of debits, and the part kept as credit. */
interface Payment {
  id: number;
  createdAt: string;
  /** Null for a card. */
  checkNumber: string | null;
  shares: readonly Share[];
  credit: CreditPayment | null;
  title: string;
  amount: Cents;
  /** The part of a card payment still received; null if all or nothing. */
  left: Cents | null;
  /** Each status once: shares of a check are decided one by one. */
  statuses: readonly Status[];
}

const initialRows = 10;

const columnsWith = (onRefund: (paymentId: number) => void): Column<Payment>[] => [
  { heading: "Subscription & Note", cell: (payment) => <PaidDebits of={payment} /> },
  {
    heading: "Paid by",
    nowrap: true,
    cell: ({ id, checkNumber }) =>
      checkNumber === null ? (
        <Link to={`/admin/card-payments/${id}`}>Card</Link>
      ) : (
        `Check ${checkNumber}`
      ),
  },
  { heading: "Date", cell: ({ createdAt }) => <DayText on={createdAt} /> },
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
  {
    heading: "Amount",
    amount: true,
    cell: ({ amount, left }) => <AmountPaid amount={amount} left={left} />,
  },
  {
    heading: "Actions",
    actions: true,
    cell: (payment) => <PaymentActions of={payment} onRefund={onRefund} />,
  },
];

interface PaymentsTableProps {
  attorney: Attorney;
}

/** An attorney's card and check payments, newest first. Each row opens to show its shares. */
export function PaymentsTable({ attorney }: PaymentsTableProps) {
  const [showsAll, setShowsAll] = useState(false);
  const [refunding, setRefunding] = useState<number | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const payments = paymentsOf(attorney);
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
        keyOf={({ id }) => id}
        empty={<EmptyState title="No payments yet" />}
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
          onDone={(result) => {
            setDone(result);
            setRefunding(null);
          }}
        />
      )}
    </>
  );
}

type Paid = Pick<
  Attorney,
  "onlinePayments" | "reversedOnlinePayments" | "checkPayments" | "creditPayments"
>;

/** Payments with their shares and credit, newest first; shares in order of due date. */
function paymentsOf(paid: Paid): Payment[] {
  const { onlinePayments, reversedOnlinePayments, checkPayments, creditPayments } = paid;
  const shares: Share[] = [...onlinePayments, ...reversedOnlinePayments, ...checkPayments];
  const credits = new Map(creditPayments.map((credit) => [credit.paymentId, credit]));
  const byPayment = Map.groupBy([...shares, ...creditPayments], ({ paymentId }) => paymentId);
  return [...byPayment]
    .flatMap(([id, parts]) => {
      const [first] = parts;
      if (!first) return [];
      const checkNumber = "checkNumber" in first ? first.checkNumber : null;
      const own = parts
        .filter((part) => "id" in part)
        .toSorted((a, b) => a.dueDate.localeCompare(b.dueDate) || a.id - b.id);
      return [
        {
          id,
          createdAt: first.createdAt,
          checkNumber,
          shares: own,
          credit: credits.get(id) ?? null,
          title: titleOf(own, checkNumber),
          amount: sum(parts.map(({ quantity }) => quantity)),
          left: checkNumber === null ? partOf(parts) : null,
          statuses: [...new Set(parts.map((part) => statusOfPart(part)))],
        },
      ];
    })
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id - a.id);
}

/** The part of a card payment still received; null if all or nothing. */
function partOf(parts: readonly (Share | CreditPayment)[]): Cents | null {
  const left = sum(parts.map((part) => ("received" in part ? part.received : cents(0))));
  return left > 0 && left < sum(parts.map(({ quantity }) => quantity)) ? left : null;
}

/** An amount and, if different, the part received. */
function AmountPaid({ amount, left }: { amount: Cents; left: Cents | null }) {
  return (
    <Stack gap={4}>
      <Money amount={amount} />
      {left !== null && <Muted small>{formatMoney(left)} received</Muted>}
    </Stack>
  );
}

/** "Panel dues" for one debit, "Panel dues, 6 debits" for six of one plan, else "Panel dues and 5 more". */
function titleOf(shares: readonly Share[], checkNumber: string | null): string {
  const [first] = shares;
  if (!first) return checkNumber === null ? "Card payment, kept as credit" : "Kept as credit";
  if (shares.length === 1) return first.name;
  return shares.every(({ name }) => name === first.name)
    ? `${first.name}, ${shares.length} debits`
    : `${first.name} and ${shares.length - 1} more`;
}

function PaidDebits({ of: { shares, credit, title, statuses } }: { of: Payment }) {
  const [only, ...others] = shares;
  if (!only) return title;
  if (others.length === 0 && !credit) return <NameAndNote name={only.name} note={only.note} />;
  return (
    <Disclosure summary={title}>
      <ul className={css["shares"]}>
        {shares.map((share) => (
          <li key={share.id}>
            <Stack gap={4}>
              <span>{share.name}</span>
              <Muted small>
                Due <DayText on={share.dueDate} />
                {share.note && ` · ${share.note}`}
              </Muted>
            </Stack>
            <span>{statuses.length > 1 && <PaymentStatus status={statusOfPart(share)} />}</span>
            <AmountPaid amount={share.quantity} left={partOf([share])} />
          </li>
        ))}
        {credit && (
          <li>
            <span>Kept as credit</span>
            <span>{statuses.length > 1 && <PaymentStatus status={credit.status} />}</span>
            <AmountPaid
              amount={credit.quantity}
              left={credit.checkNumber === null ? partOf([credit]) : null}
            />
          </li>
        )}
      </ul>
    </Disclosure>
  );
}

interface PaymentActionsProps {
  of: Payment;
  onRefund: (paymentId: number) => void;
}

/** One receipt (or details, if nothing was received) and one refund for the whole payment. */
function PaymentActions({ of: { id, statuses, title }, onRefund }: PaymentActionsProps): ReactNode {
  const settled = statuses.find((status) =>
    ["paid", "partly refunded", "approved"].includes(status),
  );
  const shown = statuses.find((status) => status === "pending") ?? settled ?? statuses[0];
  return (
    <Row gap={12}>
      {shown && <ReceiptLink payment={{ paymentId: id, status: shown, name: title }} />}
      {settled && settled !== "approved" && (
        <Button
          small
          pending={false}
          label={`Refund ${title}, receipt ${id}`}
          onClick={() => onRefund(id)}
        >
          Refund
        </Button>
      )}
    </Row>
  );
}
