import { useState } from "react";
import { Link } from "react-router";
import { Button } from "#web/ui/Button.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Money } from "#web/ui/Money.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import type { Credit, CreditEntry } from "./contract.ts";

const initialRows = 10;

const usual: Column<CreditEntry>[] = [
  { heading: "What happened", cell: (entry) => words[entry.kind](entry) },
  { heading: "From", cell: ({ source }) => (source === "card" ? "Card" : "Check") },
  { heading: "Date", cell: ({ createdAt }) => <DayText on={createdAt} /> },
  { heading: "Amount", amount: true, cell: ({ amount }) => <Money amount={amount} /> },
];

const withRefund: Column<CreditEntry>[] = [
  ...usual,
  {
    heading: "Actions",
    actions: true,
    cell: ({ cardPaymentId }) =>
      cardPaymentId !== null && (
        <Link to={`/admin/card-payments/${cardPaymentId}?refund=credit`}>
          Give it back to the card
        </Link>
      ),
  },
];

interface CreditEntriesProps {
  /** Can give what a card brought back to the card. */
  isStaff: boolean;
  credit: {
    data: Credit | undefined;
    error: Error | null;
    isFetching: boolean;
    refetch: () => Promise<unknown>;
  };
}

/** How an attorney's credit came about and what became of it, newest first. */
export function CreditEntries({ credit, isStaff }: CreditEntriesProps) {
  const [showsAll, setShowsAll] = useState(false);
  const entries = credit.data?.entries;
  return (
    <>
      <DataTable
        caption="Credit"
        captionHidden
        columns={
          isStaff && entries?.some((entry) => entry.cardPaymentId !== null) ? withRefund : usual
        }
        rows={showsAll ? entries : entries?.slice(0, initialRows)}
        keyOf={(entry) => entry.id}
        empty={<EmptyState title="No credit yet" />}
        pending={credit.isFetching}
        error={credit.error}
        onRetry={() => void credit.refetch()}
      />
      {entries && entries.length > initialRows && !showsAll && (
        <div>
          <Button pending={false} onClick={() => setShowsAll(true)}>
            {`Show all ${entries.length.toLocaleString("en-US")} entries`}
          </Button>
        </div>
      )}
    </>
  );
}

const words: Record<CreditEntry["kind"], (entry: CreditEntry) => string> = {
  received: ({ cause }) => `Received: ${cause}`,
  applied: ({ cause }) => `Paid on ${cause}`,
  given_back: ({ cause }) => `Given back: ${cause}`,
  reversed: ({ amount, cause }) => (amount > 0 ? `Put back from ${cause}` : `Taken back: ${cause}`),
};
