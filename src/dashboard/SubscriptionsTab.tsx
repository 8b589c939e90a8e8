import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import type { Instance } from "#dues/plans/contract.ts";
import { NamedRow, NoteText } from "#payments/NamedRow.tsx";

const columns: Column<Instance>[] = [
  {
    heading: "Name",
    cell: ({ name, nextBillingDate }) => (
      <NamedRow name={name}>
        {nextBillingDate && (
          <>
            Next due <DayText on={nextBillingDate} />
          </>
        )}
      </NamedRow>
    ),
  },
  { heading: "Note", cell: ({ note }) => <NoteText>{note}</NoteText> },
  { heading: "Amount owed", amount: true, cell: ({ paymentSchedule }) => paymentSchedule },
  { heading: "Date created", cell: ({ createdAt }) => <DayText on={createdAt} /> },
];

export function SubscriptionsTab({ instances }: { instances: readonly Instance[] }) {
  return (
    <DataTable
      caption="Your subscriptions"
      captionHidden
      columns={columns}
      rows={instances}
      keyOf={(instance) => instance.id}
      empty={
        <EmptyState title="You have no subscriptions">
          Your referral service adds them. Their cost and due dates will appear here.
        </EmptyState>
      }
      pending={false}
      error={null}
      onRetry={() => undefined}
    />
  );
}
