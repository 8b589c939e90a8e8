import { useQuery } from "@tanstack/react-query";
import { endpointQuery } from "#kit/web/queries.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import type { z } from "zod";
import { type Instance, showUpcoming } from "./contract.ts";

type Upcoming = z.output<typeof showUpcoming.object>[number];

const columns: Column<Upcoming>[] = [
  { heading: "Due Date", cell: (due) => <DayText on={due.dueOn} /> },
  { heading: "Amount", amount: true, cell: (due) => <Money amount={due.amount} /> },
  { heading: "Reason", cell: (due) => due.reason },
];

interface UpcomingDialogProps {
  enrolment: Instance;
  onClose: () => void;
}

/** The next twelve due dates of an enrolment, each with its reason. */
export function UpcomingDialog({ enrolment, onClose }: UpcomingDialogProps) {
  const upcoming = useQuery(endpointQuery(showUpcoming, { params: { id: enrolment.id } }));
  return (
    <Dialog wide title={`Upcoming dues of ${enrolment.name}`} onClose={onClose}>
      <DataTable
        caption="The next twelve due dates"
        captionHidden
        columns={columns}
        rows={upcoming.data}
        keyOf={(due) => due.period}
        empty={<EmptyState title="No more due dates">This subscription has ended.</EmptyState>}
        pending={upcoming.isFetching}
        error={upcoming.error}
        onRetry={() => void upcoming.refetch()}
      />
    </Dialog>
  );
}
