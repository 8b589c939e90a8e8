import { Link } from "react-router";
import { FilterFields } from "#kit/list/FilterFields.tsx";
import { PagedTable } from "#kit/list/PagedTable.tsx";
import { type Matter } from "#referrals/matters/contract.ts";
import { listMatters, matters, statusOfOnesOwn } from "#referrals/matters/matters.list.ts";
import { MatterStatus } from "#referrals/matters/MatterStatus.tsx";
import { ReportDue } from "#referrals/matters/ReportDue.tsx";
import { useFilters } from "#kit/list/use-filters.tsx";
import { endpointQuery, useList } from "#kit/web/queries.tsx";
import type { Column } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Section } from "#kit/web/ui/layout.tsx";
import { usePage } from "#kit/web/ui/Paging.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";

/** Both share one filter in the address. */
const { report } = matters.filters;
const filters = { status: statusOfOnesOwn, report };

/** A list this short needs no filter. */
const fewReferrals = 10;

const columns: Column<Matter>[] = [
  { heading: "Name", cell: ({ id, name }) => <Link to={`/admin/matters/${id}`}>{name}</Link> },
  { heading: "Status", cell: ({ status }) => <MatterStatus status={status} /> },
  {
    heading: "Referred",
    cell: ({ referredAt, submittedAt }) => <DayText on={referredAt ?? submittedAt} />,
  },
  {
    heading: "Report due",
    cell: ({ status, reportDueOn }) =>
      status === "open" ? <ReportDue on={reportDueOn} /> : <Muted>None</Muted>,
  },
];

/** An attorney's open and past referrals. */
export function ReferralsTab({ attorneyId }: { attorneyId: number }) {
  const { query, isFiltered, address, choose } = useFilters(filters);
  const wanted = { ...query, attorney_id: attorneyId };
  const list = useList(endpointQuery(listMatters, { query: { ...usePage(), ...wanted } }));
  const total = list.data?.total ?? 0;
  return (
    <Section title="Referrals">
      {(isFiltered || total > fewReferrals) && (
        <FilterFields {...{ filters, address, choose }} names={{}} />
      )}
      <PagedTable
        list={list}
        caption="Referrals"
        columns={columns}
        keyOf={(matter) => matter.id}
        filtered={isFiltered ? { things: "referrals", path: "?view=referrals" } : undefined}
        empty={
          <EmptyState title="No referrals yet">
            This attorney’s referrals and due reports appear here.
          </EmptyState>
        }
      />
    </Section>
  );
}
