import { memo } from "react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { DebitOfAttorney } from "#dues/ledger/contract.ts";
import { labelOf, payableOf } from "#dues/ledger/typed-amounts.tsx";
import { AmountField } from "#kit/web/ui/AmountField.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Row } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { NameAndNote } from "#kit/web/ui/NameAndNote.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import css from "./checks.module.css";
import type { Payer } from "./PayerSelect.tsx";
import type { Parts } from "./check-allocation.tsx";
import type { OpenDebits } from "./use-open-debits.tsx";
import { useAttorneysOf } from "./use-attorneys-of.tsx";

interface PartsFieldsProps {
  payer: Payer;
  open: UseQueryResult<OpenDebits>;
  parts: Parts;
  /** Must be the same function on each render. */
  onParts: (change: (before: Parts) => Partial<Parts>) => void;
  onOldestFirst: () => void;
  /** The control's id for a part, such as "shares.17" for debit 17. */
  idOf: (path: string) => string;
  errorAt: (path: string) => string | undefined;
}

/** A debit, or the attorney whose credit a part becomes. */
type PartRow =
  | { kind: "debit"; key: string; debit: DebitOfAttorney }
  | { kind: "credit"; key: string; attorneyId: number; attorneyName: string };

/** The open debits of the payer's lawyers, each with a field for its part of the check. */
export function PartsFields(props: PartsFieldsProps) {
  const { payer, open, onOldestFirst } = props;
  const rows = useRows(props);
  const hidden = open.data ? open.data.total - open.data.items.length : 0;
  return (
    <section className={css["parts"]} aria-label="What the check is for">
      <Row gap={16}>
        <h2>What it is for</h2>
        {(open.isPending || (open.data?.items.length ?? 0) > 0) && (
          <Button small pending={open.isPending} onClick={onOldestFirst}>
            Oldest first
          </Button>
        )}
      </Row>
      <DataTable
        caption="Open debits"
        captionHidden
        columns={columnsFor(props)}
        rows={rows}
        keyOf={({ key }) => key}
        empty={
          <EmptyState title={`${payer.name} owes nothing`}>
            The whole check can be kept as credit, which pays the next debits.
          </EmptyState>
        }
        pending={open.isFetching}
        error={open.error}
        onRetry={() => void open.refetch()}
      />
      {hidden > 0 && (
        <Muted
          small
        >{`${hidden.toLocaleString("en-US")} later debits are not listed. One check can pay at most 1,000 debits.`}</Muted>
      )}
    </section>
  );
}

function useRows({ payer, open, parts }: PartsFieldsProps): PartRow[] | undefined {
  const attorneys = useAttorneysOf(payer);
  return (
    open.data && [
      ...open.data.items.map((debit) => ({
        kind: "debit" as const,
        key: `shares.${debit.id}`,
        debit,
      })),
      ...Object.keys(parts.credits).map((id) => ({
        kind: "credit" as const,
        key: `credits.${id}`,
        attorneyId: Number(id),
        attorneyName: attorneys.find((attorney) => attorney.id === Number(id))?.name ?? "",
      })),
    ]
  );
}

function columnsFor({ parts, onParts, idOf, errorAt }: PartsFieldsProps): Column<PartRow>[] {
  return [
    {
      heading: "Attorney",
      cell: (row) => (row.kind === "debit" ? row.debit.attorneyName : row.attorneyName),
    },
    {
      heading: "For",
      cell: (row) =>
        row.kind === "debit" ? (
          <NameAndNote name={row.debit.name} note={row.debit.note} />
        ) : (
          "Credit"
        ),
    },
    {
      heading: "Due",
      cell: (row) =>
        row.kind === "debit" ? <DayText on={row.debit.dueDate} /> : <Muted>None</Muted>,
    },
    {
      heading: "Can be paid",
      amount: true,
      cell: (row) => (row.kind === "debit" ? <CanBePaid debit={row.debit} /> : <Muted>Any</Muted>),
    },
    {
      heading: "Part of the check",
      amount: true,
      cell: (row) => {
        if (row.kind === "debit" && payableOf(row.debit) === 0)
          return <Muted>Nothing to pay now</Muted>;
        const isDebit = row.kind === "debit";
        const name = isDebit
          ? `Part for ${row.debit.attorneyName}, ${labelOf(row.debit)}, in dollars`
          : `Credit of ${row.attorneyName}, in dollars`;
        return (
          <PartField
            id={idOf(row.key)}
            label={name}
            of={isDebit ? "shares" : "credits"}
            recordId={isDebit ? row.debit.id : row.attorneyId}
            value={isDebit ? parts.shares[row.debit.id] : parts.credits[row.attorneyId]}
            error={errorAt(row.key)}
            onParts={onParts}
          />
        );
      },
    },
  ];
}

interface PartFieldProps {
  id: string;
  label: string;
  of: keyof Parts;
  /** The debit, or the attorney whose credit it is. */
  recordId: number;
  value: string | undefined;
  error: string | undefined;
  onParts: PartsFieldsProps["onParts"];
}

/** Memoized: of up to a thousand fields, only the edited one renders again. */
const PartField = memo(({ of, recordId, value = "", onParts, ...field }: PartFieldProps) => (
  <span className={css["part"]}>
    <AmountField
      {...field}
      labelHidden
      value={value}
      onChange={(typed) => onParts((before) => ({ [of]: { ...before[of], [recordId]: typed } }))}
    />
  </span>
));

function CanBePaid({ debit }: { debit: DebitOfAttorney }) {
  return (
    <span className={css["payable"]}>
      <Money amount={payableOf(debit)} />
      {debit.pending > 0 && (
        <Muted small>
          <Money amount={debit.pending} /> pending
        </Muted>
      )}
    </span>
  );
}
