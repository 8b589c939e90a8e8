import { formatMoney, negated } from "#kit/domain/money.ts";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { titleOf } from "#dues/ledger/typed-amounts.tsx";
import { NameAndNote } from "#kit/web/ui/NameAndNote.tsx";
import type { Adjustment, Debit } from "./contract.ts";

const columns: Column<Adjustment>[] = [
  { heading: "Date", cell: (adjustment) => <DayText on={adjustment.createdAt} /> },
  { heading: "Balance", cell: ({ quantity }) => changeWords(quantity) },
  { heading: "Note", cell: (adjustment) => adjustment.note || "Not provided" },
];

interface AdjustmentsDialogProps {
  debit: Debit;
  onClose: () => void;
}

export function AdjustmentsDialog({ debit, onClose }: AdjustmentsDialogProps) {
  return (
    <Dialog wide title="Adjustments" onClose={onClose}>
      <Stack gap={16}>
        <NameAndNote name={titleOf(debit)} note={debit.note} />
        <DataTable
          caption="Adjustments"
          captionHidden
          columns={columns}
          rows={debit.adjustments}
          keyOf={(adjustment) => adjustment.id}
          empty={<EmptyState title="The balance has not been adjusted" />}
          pending={false}
          error={null}
          onRetry={onClose}
        />
      </Stack>
    </Dialog>
  );
}

/** A positive quantity decreased the balance. Source: spec §3. */
function changeWords(quantity: Adjustment["quantity"]): string {
  return quantity > 0
    ? `decreased by ${formatMoney(quantity)}`
    : `increased by ${formatMoney(negated(quantity))}`;
}
