import { type Cents, cents, negated } from "#kit/domain/money.ts";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { NameAndNote } from "#kit/web/ui/NameAndNote.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { type CardPayment } from "#cards/shapes.ts";
import { processorLabels } from "#kit/domain/processors.ts";

type Transaction = CardPayment["transactions"][number];

interface Line extends Transaction {
  words: string;
  signed: Cents;
  /** The amount received after it. */
  received: Cents;
}

/** What happened to a card payment, in order of recording, with a running total of the amount received. */
export function TransactionsTable({ payment }: { payment: CardPayment }) {
  return (
    <DataTable
      caption="History"
      captionHidden
      columns={columnsOf(payment)}
      rows={linesOf(payment)}
      keyOf={({ id }) => id}
      empty={
        <EmptyState title="Nothing was charged">
          {payment.state === "processing"
            ? "The card processor has not said yet whether the card was charged."
            : "The card was declined."}
        </EmptyState>
      }
    />
  );
}

const columnsOf = ({ processor }: CardPayment): Column<Line>[] => [
  {
    heading: "What happened",
    cell: ({ words, note }) => <NameAndNote name={words} note={note} />,
  },
  { heading: "Date", nowrap: true, cell: ({ on }) => <DayText on={on} /> },
  {
    heading: "Source",
    cell: ({ by }) =>
      ({ here: "Here", processor: `At ${processorLabels[processor]}`, hand: "Recorded by hand" })[
        by
      ],
  },
  { heading: "Amount", amount: true, cell: ({ signed }) => <Money amount={signed} /> },
  { heading: "Received", amount: true, cell: ({ received }) => <Money amount={received} /> },
];

function linesOf({ transactions }: CardPayment): Line[] {
  let received = cents(0);
  return transactions.map((transaction, index) => {
    const { kind, amount } = transaction;
    const isBack = kind === "purchase" || kind === "chargeback_reversed";
    const signed = isBack ? amount : negated(amount);
    received = cents(received + signed);
    const words = kind === "purchase" && index > 0 ? "Received again" : kindWords[kind];
    return { ...transaction, words, signed, received };
  });
}

const kindWords: Record<Transaction["kind"], string> = {
  purchase: "Charged",
  refund: "Refunded",
  chargeback: "Charged back",
  chargeback_reversed: "Chargeback reversed",
  failed: "Not collected",
};
