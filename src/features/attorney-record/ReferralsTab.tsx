import { Link } from "react-router";
import { NothingListed } from "#list/NothingListed.tsx";
import { listMatters, type Matter } from "#features/matters/contract.ts";
import { MatterStatus, statusOptions } from "#features/matters/MatterStatus.tsx";
import { ReportDue } from "#features/matters/ReportDue.tsx";
import { useMatterFilters } from "#features/matters/use-matter-filters.tsx";
import { endpointQuery, useList } from "#web/queries.tsx";
import { SelectField } from "#web/ui/ChoiceField.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Filters, Muted, Section } from "#web/ui/layout.tsx";
import { Paging, usePage } from "#web/ui/Paging.tsx";
import { EmptyState } from "#web/ui/states.tsx";

/** An attorney has none that is new: those are nobody's. */
const options = statusOptions.filter(({ value }) => value !== "new");

/** So many are seen at a glance, without a filter. */
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
  const { status, choose } = useMatterFilters();
  const wanted = {
    search: "",
    attorney_id: attorneyId,
    status: status === "overdue" ? undefined : status || undefined,
    report: status === "overdue" ? status : undefined,
  };
  const list = useList(endpointQuery(listMatters, { query: { ...usePage(), ...wanted } }));
  const total = list.data?.total ?? 0;
  return (
    <Section title="Referrals">
      {(status !== "" || total > fewReferrals) && (
        <Filters>
          <SelectField
            label="Status"
            error={undefined}
            options={options}
            value={status}
            onChange={(chosen) => choose("status", chosen)}
          />
        </Filters>
      )}
      <DataTable
        caption="Referrals"
        captionHidden
        columns={columns}
        rows={list.data?.items}
        keyOf={(matter) => matter.id}
        empty={
          <NothingListed
            total={total}
            isFiltered={status !== ""}
            path="?view=referrals"
            things="referrals"
          >
            <EmptyState title="No referrals yet">
              What is referred to this attorney stands here with the reports that are due.
            </EmptyState>
          </NothingListed>
        }
        pending={list.isFetching}
        stale={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
      />
      <Paging list={list.data} />
    </Section>
  );
}
