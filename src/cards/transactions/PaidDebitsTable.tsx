import { type Cents, cents, sum } from "#kit/domain/money.ts";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { NameAndNote } from "#kit/web/ui/NameAndNote.tsx";
import type { CardPayment } from "#cards/shapes.ts";

interface Line {
  key: string;
  name: string;
  note: string;
  dueDate: string | null;
  amount: Cents;
  paid: Cents;
}

/** The debits a card payment was for, and its credit, with the received part of each. */
export function PaidDebitsTable({ payment }: { payment: CardPayment }) {
  const lines = linesOf(payment);
  return (
    <DataTable
      caption="What the payment paid"
      captionHidden
      columns={columnsOf(lines, payment)}
      rows={lines}
      keyOf={({ key }) => key}
      empty={null}
    />
  );
}

const columnsOf = (lines: Line[], { amount }: CardPayment): Column<Line>[] => [
  {
    heading: "Subscription",
    cell: ({ name, note }) => <NameAndNote name={name} note={note} />,
    total: "Total",
  },
  { heading: "Due date", cell: ({ dueDate }) => dueDate && <DayText on={dueDate} /> },
  {
    heading: "Amount",
    amount: true,
    cell: (line) => <Money amount={line.amount} />,
    total: <Money amount={amount} />,
  },
  {
    heading: "Received",
    amount: true,
    cell: ({ paid }) => <Money amount={paid} />,
    total: <Money amount={sum(lines.map(({ paid }) => paid))} />,
  },
];

function linesOf({ amount, shares, credit }: CardPayment): Line[] {
  const { unused, applied } = credit;
  const kept = sum([unused, ...applied.map((debit) => debit.amount)]);
  const forDebits = sum(shares.map((share) => share.amount));
  return [
    ...shares.map((share) => ({ ...share, key: `debit ${share.debitId}` })),
    ...(forDebits < amount || kept > 0
      ? [
          {
            key: "credit",
            name: "Kept as credit",
            note: "",
            dueDate: null,
            amount: cents(amount - forDebits),
            paid: kept,
          },
        ]
      : []),
  ];
}
