import { useQuery } from "@tanstack/react-query";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { listReports, type Matter, type MatterReport } from "./contract.ts";
import css from "./matters.module.css";
import { outcomeWords } from "./outcome-words.tsx";

const columns: Column<MatterReport>[] = [
  { heading: "Filed", cell: ({ filedOn }) => <DayText on={filedOn} /> },
  { heading: "Outcome", cell: ({ outcome }) => outcomeWords[outcome] },
  {
    heading: "Note",
    cell: ({ note }) =>
      note ? <span className={css["note"]}>{note}</span> : <Muted>Not provided</Muted>,
  },
  { heading: "Attorney", cell: ({ attorneyName }) => attorneyName },
  {
    heading: "Fee",
    amount: true,
    cell: ({ fee }) => (fee === null ? <Muted>None</Muted> : <Money amount={fee} />),
  },
];

/** The status reports filed on a referral, newest first. */
export function MatterReports({ matter }: { matter: Matter }) {
  const today = useToday();
  const reports = useQuery(endpointQuery(listReports, { params: { id: matter.id } }));
  return (
    <DataTable
      caption="Status reports"
      captionHidden
      columns={columns}
      rows={reports.data}
      keyOf={(report) => report.id}
      empty={
        <EmptyState title="No report yet">
          {matter.reportDueOn !== null && (
            <>
              The first one {matter.reportDueOn < today ? "was" : "is"} due{" "}
              <DayText on={matter.reportDueOn} />.
            </>
          )}
        </EmptyState>
      }
      pending={reports.isFetching}
      error={reports.error}
      onRetry={() => void reports.refetch()}
    />
  );
}
