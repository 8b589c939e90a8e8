import { PagedTable } from "#kit/list/PagedTable.tsx";
import { endpointQuery, useList } from "#kit/web/queries.tsx";
import type { Column } from "#kit/web/ui/DataTable.tsx";
import { DayText, TimeText } from "#kit/web/ui/DayText.tsx";
import { Muted, Stack } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { usePage } from "#kit/web/ui/Paging.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import { type BillingRun, listBillingRuns } from "./contract.ts";

const columns: Column<BillingRun>[] = [
  { heading: "Started", cell: (run) => <TimeText at={run.startedAt} /> },
  { heading: "As of", cell: (run) => <DayText on={run.asOf} /> },
  { heading: "Debits", amount: true, cell: (run) => run.debits.toLocaleString("en-US") },
  { heading: "Amount", amount: true, cell: (run) => <Money amount={run.amount} /> },
  { heading: "Duration", amount: true, cell: durationWords },
  { heading: "Result", cell: (run) => <Result run={run} /> },
];

const refetchWhileRunningMs = 5_000;

export function BillingRuns() {
  const runs = useList({
    ...endpointQuery(listBillingRuns, { query: { ...usePage(), per_page: 10 } }),
    // A killed run sends no real-time message.
    refetchEveryMs: ({ items }) => (items.some(isRunning) ? refetchWhileRunningMs : false),
  });
  return (
    <>
      <PagedTable
        list={runs}
        caption="Billing runs"
        columns={columns}
        keyOf={(run) => run.id}
        empty={
          <EmptyState title="No billing run yet">
            Billing runs every day, soon after midnight.
          </EmptyState>
        }
      />
    </>
  );
}

const isRunning = (run: BillingRun) => run.finishedAt === null && !run.isInterrupted;

function Result({ run }: { run: BillingRun }) {
  if (isRunning(run)) return <StatusMark tone="waiting">Running</StatusMark>;
  if (run.isInterrupted)
    return <Unfinished mark="Interrupted" why="The next run bills the rest." />;
  if (run.failures === 0) return <StatusMark tone="good">Complete</StatusMark>;
  const mark = run.failures === 1 ? "1 part failed" : `${run.failures} parts failed`;
  return <Unfinished mark={mark} why={run.failureReason} />;
}

function Unfinished({ mark, why }: { mark: string; why: string | null }) {
  return (
    <Stack gap={4}>
      <div>
        <StatusMark tone="bad">{mark}</StatusMark>
      </div>
      {why && <Muted small>{why}</Muted>}
    </Stack>
  );
}

/** How long a run took: `0.4 s`, `12 s`, `2 min 5 s`. */
function durationWords({ startedAt, finishedAt }: BillingRun): string {
  if (finishedAt === null) return "Not finished";
  const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
  if (seconds < 10)
    return `${Math.max(0.1, seconds).toLocaleString("en-US", { maximumFractionDigits: 1 })} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
