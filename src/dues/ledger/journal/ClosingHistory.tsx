import { formatDay } from "#kit/domain/day.ts";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { TimeText } from "#kit/web/ui/DayText.tsx";
import { Section } from "#kit/web/ui/layout.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import type { Books } from "./contract.ts";

type Change = Books["history"][number];

interface ClosingHistoryProps {
  books: {
    data: Books | undefined;
    error: Error | null;
    isFetching: boolean;
    refetch: () => Promise<unknown>;
  };
}

/** Closings and reopenings of the books, newest first. */
export function ClosingHistory({ books }: ClosingHistoryProps) {
  return (
    <Section title="Closings" onScreenOnly>
      <DataTable
        caption="Closings"
        captionHidden
        columns={columns}
        rows={books.data?.history}
        keyOf={({ at, action }) => `${at} ${action}`}
        empty={
          <EmptyState title="The books have not been closed yet">
            When a month agrees with the bank, close it. Its entries can no longer change.
          </EmptyState>
        }
        pending={books.isFetching}
        error={books.error}
        onRetry={() => void books.refetch()}
      />
    </Section>
  );
}

function changeWords({ action, through }: Change): string {
  if (through === null) return "Opened all days";
  return `${action === "close" ? "Closed through" : "Reopened after"} ${formatDay(through)}`;
}

const columns: Column<Change>[] = [
  { heading: "What", cell: changeWords },
  { heading: "When", cell: ({ at }) => <TimeText at={at} />, nowrap: true },
  { heading: "Who", cell: ({ by }) => by },
  { heading: "Note", cell: ({ note }) => note },
];
