import type { ReactNode } from "react";
import { dayOf, formatDay } from "#kit/domain/day.ts";
import { formatMoney } from "#kit/domain/money.ts";
import { useSession } from "#kit/web/session.tsx";
import { AmountField } from "#kit/web/ui/AmountField.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import type { Debit } from "#dues/ledger/contract.ts";
import css from "./dashboard.module.css";
import {
  type AmountProblem,
  pendingOf,
  fullAmounts,
  payableOf,
  type PaymentAmounts,
  labelOf,
} from "#dues/ledger/typed-amounts.tsx";
import { NamedRow, NoteText } from "#payments/NamedRow.tsx";

interface OwedTableProps {
  debits: readonly Debit[];
  amounts: PaymentAmounts;
  onAmounts: (amounts: PaymentAmounts) => void;
  problems: readonly AmountProblem[];
  fieldIdOf: (debitId: number) => string;
}

export function OwedTable({ debits, amounts, onAmounts, problems, fieldIdOf }: OwedTableProps) {
  const columns: Column<Debit>[] = [
    {
      heading: "Name",
      cell: (debit) => (
        <NamedRow name={debit.name}>
          Due <DayText on={debit.dueDate} />
        </NamedRow>
      ),
    },
    {
      heading: "Note",
      cell: ({ note }) => (
        <Secondary saysMore={note !== ""}>
          <NoteText>{note}</NoteText>
        </Secondary>
      ),
    },
    { heading: "Date created", cell: (debit) => <DateCreated debit={debit} /> },
    {
      heading: "Balance",
      amount: true,
      cell: (debit) => (
        <Balance debit={debit} onFull={() => onAmounts({ ...amounts, ...fullAmounts([debit]) })} />
      ),
    },
    {
      heading: "Payment",
      amount: true,
      cell: (debit) => (
        <PaymentCell
          debit={debit}
          typed={amounts[debit.id] ?? "0"}
          onTyped={(typed) => onAmounts({ ...amounts, ...typed })}
          error={problems.find((problem) => problem.debit.id === debit.id)?.message}
          fieldId={fieldIdOf(debit.id)}
        />
      ),
    },
  ];
  return (
    <DataTable
      caption="Owed"
      captionHidden
      columns={columns}
      rows={debits}
      keyOf={(debit) => debit.id}
      empty={null}
      pending={false}
      error={null}
      onRetry={() => undefined}
    />
  );
}

/** On a phone a debit is one line; this is shown below it only if it adds something. */
function Secondary({ saysMore, children }: { saysMore: boolean; children: ReactNode }) {
  return <span className={saysMore ? undefined : css["saysNoMore"]}>{children}</span>;
}

function DateCreated({ debit: { createdAt, dueDate } }: { debit: Debit }) {
  const { timeZone } = useSession();
  return (
    <Secondary saysMore={dayOf(createdAt, timeZone) !== formatDay(dueDate)}>
      <DayText on={createdAt} />
    </Secondary>
  );
}

/** On a phone, pressing the balance enters it in full; on wide screens a button beside the field does. */
function Balance({ debit, onFull }: { debit: Debit; onFull: () => void }) {
  const pending = pendingOf(debit);
  const amount = formatMoney(debit.balance);
  return (
    <span className={css["balance"]}>
      {payableOf(debit) > 0 ? (
        <>
          <span className={css["onWideScreens"]}>
            <Money amount={debit.balance} />
          </span>
          <span className={css["onPhones"]}>
            <Button
              small
              kind="quiet"
              pending={false}
              label={`Full balance of ${labelOf(debit)}: ${amount}`}
              onClick={onFull}
            >
              {amount}
            </Button>
          </span>
        </>
      ) : (
        <Money amount={debit.balance} />
      )}
      {pending > 0 && (
        <span className={css["besideBalance"]}>
          <Muted small>
            <Money amount={pending} /> pending
          </Muted>
        </span>
      )}
      {debit.paidFromCredit > 0 && (
        <span className={css["besideBalance"]}>
          <Muted small>
            <Money amount={debit.paidFromCredit} /> paid from credit
          </Muted>
        </span>
      )}
    </span>
  );
}

interface PaymentCellProps {
  debit: Debit;
  typed: string;
  onTyped: (amounts: PaymentAmounts) => void;
  error: string | undefined;
  fieldId: string;
}

function PaymentCell({ debit, typed, onTyped, error, fieldId }: PaymentCellProps) {
  if (payableOf(debit) === 0) return <Muted>Nothing to pay now</Muted>;
  return (
    <span className={css["payment"]}>
      <span className={css["onWideScreens"]}>
        <Button
          small
          kind="quiet"
          pending={false}
          label={`Full balance of ${labelOf(debit)}`}
          onClick={() => onTyped(fullAmounts([debit]))}
        >
          Full balance
        </Button>
      </span>
      <AmountField
        labelHidden
        label={`Payment for ${labelOf(debit)}, in dollars`}
        id={fieldId}
        value={typed}
        onChange={(amount) => onTyped({ [debit.id]: amount })}
        error={error}
      />
    </span>
  );
}
