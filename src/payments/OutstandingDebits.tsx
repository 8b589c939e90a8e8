import { type ReactNode, useState } from "react";
import { sum } from "#kit/domain/money.ts";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Row, Stack } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import { AddCheckDialog } from "#payments/AddCheckDialog.tsx";
import { ConfirmChecksDialog } from "#payments/ConfirmChecksDialog.tsx";
import { pendingOf, payableOf, titleOf } from "#dues/ledger/typed-amounts.tsx";
import { NameAndNote } from "#kit/web/ui/NameAndNote.tsx";
import { AdjustDialog } from "#dues/ledger/AdjustDialog.tsx";
import { AdjustmentsDialog } from "#dues/ledger/AdjustmentsDialog.tsx";
import type { Debit } from "#dues/ledger/contract.ts";

type Action = "add check" | "confirm check" | "adjust" | "view adjustments";

/** A dialog, with the debit from when it was opened. */
interface OpenDialog {
  action: Action;
  debit: Debit;
}

interface OutstandingDebitsProps {
  debits: readonly Debit[];
}

/** An attorney's open debits, with the administrator's actions on each. */
export function OutstandingDebits({ debits }: OutstandingDebitsProps) {
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const columns: Column<Debit>[] = [
    {
      heading: "Subscription & Note",
      cell: ({ name, note }) => <NameAndNote name={name} note={note} />,
      total: "Total",
    },
    { heading: "Due Date", cell: (debit) => <DayText on={debit.dueDate} /> },
    {
      heading: "Balance",
      amount: true,
      cell: (debit) => <Balance debit={debit} />,
      total: <Money amount={sum(debits.map((debit) => debit.balance))} />,
    },
    {
      heading: "Actions",
      actions: true,
      cell: (debit) => (
        <Actions
          debit={debit}
          onOpen={(action) => {
            setDone(null);
            setOpen({ action, debit });
          }}
        />
      ),
    },
  ];
  const close = () => setOpen(null);
  const finish = (result: string) => {
    setDone(result);
    close();
  };
  return (
    <>
      <Notice>{done}</Notice>
      <DataTable
        caption="Outstanding Debits"
        captionHidden
        columns={columns}
        rows={debits}
        keyOf={(debit) => debit.id}
        empty={<EmptyState title="This attorney has no outstanding payments." />}
      />
      {open && <DebitDialog {...open} onClose={close} onDone={finish} />}
    </>
  );
}

interface DebitDialogProps extends OpenDialog {
  onClose: () => void;
  onDone: (result: string) => void;
}

function DebitDialog({ action, ...props }: DebitDialogProps) {
  if (action === "add check") return <AddCheckDialog {...props} />;
  if (action === "confirm check") return <ConfirmChecksDialog {...props} />;
  if (action === "adjust") return <AdjustDialog {...props} />;
  return <AdjustmentsDialog {...props} />;
}

function Balance({ debit }: { debit: Debit }) {
  const pending = pendingOf(debit);
  return (
    <Stack gap={4}>
      <Money amount={debit.balance} />
      {pending > 0 && (
        <Muted small>
          <Money amount={pending} /> pending
        </Muted>
      )}
      {debit.paidFromCredit > 0 && (
        <Muted small>
          <Money amount={debit.paidFromCredit} /> paid from credit
        </Muted>
      )}
    </Stack>
  );
}

/** With no pending check, the pending amount is a card payment that its processor must confirm. */
const whyNoCheck = ({ pendingPayments }: Debit): string =>
  pendingPayments.length > 0 ? "All pending" : "A card payment is being confirmed";

/** The actions of a debit. Source: spec §2, the per-lawyer subscription panel. */
function Actions({ debit, onOpen }: { debit: Debit; onOpen: (action: Action) => void }) {
  const button = (action: Action, words: string): ReactNode => (
    <Button
      small
      pending={false}
      label={`${words}: ${titleOf(debit)}`}
      onClick={() => onOpen(action)}
    >
      {words}
    </Button>
  );
  return (
    <Row>
      {button("add check", "Add check")}
      {payableOf(debit) === 0 && <Muted small>{whyNoCheck(debit)}</Muted>}
      {debit.pendingPayments.length > 0 ? (
        button("confirm check", "Confirm check")
      ) : (
        <Muted small>No pending payments</Muted>
      )}
      {button("adjust", "Adjust")}
      {debit.adjustments.length > 0 && button("view adjustments", "View adjustments")}
    </Row>
  );
}
