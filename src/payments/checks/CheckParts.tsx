import { Link } from "react-router";
import { type Cents } from "#kit/domain/money.ts";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { CheckStatus } from "./CheckStatus.tsx";
import type { Check } from "./contract.ts";

/** A part of a check: for a debit, or kept as credit. */
interface Part {
  key: string;
  attorneyId: number;
  attorneyName: string;
  /** Null for credit. */
  debit: { name: string; dueDate: string } | null;
  amount: Cents;
  status: Check["shares"][number]["status"] | Check["status"];
}

/** What a check pays, by lawyer, with the status of each part. */
export function CheckParts({ check }: { check: Check }) {
  const columns: Column<Part>[] = [
    {
      heading: "Attorney",
      cell: ({ attorneyId, attorneyName }) => (
        <Link to={`/admin/attorneys/${attorneyId}`}>{attorneyName}</Link>
      ),
      total: "Total",
    },
    { heading: "For", cell: ({ debit }) => debit?.name ?? "Credit" },
    {
      heading: "Due",
      cell: ({ debit }) => (debit ? <DayText on={debit.dueDate} /> : <Muted>None</Muted>),
    },
    { heading: "Status", cell: ({ status }) => <CheckStatus status={status} /> },
    {
      heading: "Amount",
      amount: true,
      cell: ({ amount }) => <Money amount={amount} />,
      total: <Money amount={check.amount} />,
    },
  ];
  return (
    <DataTable
      caption="What it is for"
      captionHidden
      columns={columns}
      rows={partsOf(check)}
      keyOf={({ key }) => key}
      empty={null}
      pending={false}
      error={null}
      onRetry={() => undefined}
    />
  );
}

function partsOf({ shares, credits, status }: Check): Part[] {
  return [
    ...shares.map(({ debitName, dueDate, shareId, ...share }) => ({
      ...share,
      key: `share ${shareId}`,
      debit: { name: debitName, dueDate },
    })),
    ...credits.map((credit) => ({
      ...credit,
      key: `credit ${credit.attorneyId}`,
      debit: null,
      // A mixed check has at least one approved part, so its credit counts.
      status: status === "mixed" ? ("approved" as const) : status,
    })),
  ];
}
