import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { type CreditEntry, showCredit } from "./contract.ts";

const initialRows = 10;

const columns: Column<CreditEntry>[] = [
  { heading: "What happened", cell: (entry) => descriptions[entry.kind](entry) },
  { heading: "From", cell: ({ source }) => (source === "card" ? "Card" : "Check") },
  { heading: "Date", cell: ({ createdAt }) => <DayText on={createdAt} /> },
  { heading: "Amount", amount: true, cell: ({ amount }) => <Money amount={amount} /> },
];

interface CreditEntriesProps {
  /** An attorney who has had credit. Attorneys may see their own. */
  attorneyId: number;
  /** An administrator's actions, for entries that have any. */
  actions?: Column<CreditEntry>;
}

/** The history of an attorney's credit, newest first. */
export function CreditEntries({ attorneyId, actions }: CreditEntriesProps) {
  const credit = useQuery(endpointQuery(showCredit, { params: { id: attorneyId } }));
  const [showsAll, setShowsAll] = useState(false);
  const entries = credit.data?.entries;
  const hasActions = entries?.some(({ cardPaymentId }) => cardPaymentId !== null);
  return (
    <>
      <DataTable
        caption="Credit"
        captionHidden
        columns={actions && hasActions ? [...columns, actions] : columns}
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

const descriptions: Record<CreditEntry["kind"], (entry: CreditEntry) => string> = {
  received: ({ cause }) => `Received: ${cause}`,
  applied: ({ cause }) => `Paid on ${cause}`,
  given_back: ({ cause }) => `Refunded: ${cause}`,
  reversed: ({ amount, cause }) => (amount > 0 ? `Restored from ${cause}` : `Reversed: ${cause}`),
};
