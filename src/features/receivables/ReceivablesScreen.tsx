import { Link } from "react-router";
import { formatDay, isDay } from "#domain/day.ts";
import { listed } from "#features/lists/shapes.ts";
import { ListTools } from "#list/ListTools.tsx";
import { useAddressFilters } from "#web/address-filters.tsx";
import { call } from "#web/api.tsx";
import { useListPages } from "#web/list-pages.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { useToday } from "#web/session.tsx";
import { ButtonLink } from "#web/ui/Button.tsx";
import { type Column, DataTable, totalWords } from "#web/ui/DataTable.tsx";
import { SelectField } from "#web/ui/ChoiceField.tsx";
import { DayField } from "#web/ui/DayField.tsx";
import { Filters, Muted, Row } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { FirstPageLink, Paging } from "#web/ui/Paging.tsx";
import { useSort } from "#web/ui/sort.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import {
  agingBuckets,
  agingColumns,
  type AgingRow,
  type Receivables,
  showReceivables,
} from "./contract.ts";

/** What each attorney owed at the end of a day, by how long it was overdue then; today unless one is picked. */
export function ReceivablesScreen() {
  const { read, choose } = useAddressFilters<"as_of" | "bucket">();
  const today = useToday();
  const asked = read("as_of");
  const picked = isDay(asked) ? asked : undefined;
  const named = read("bucket");
  const bucket = agingBuckets.find((one) => one === named);
  const sort = useSort(agingColumns);
  const list = useListPages((page) => {
    const wanted = { query: { ...page, as_of: picked, bucket, sort: sort.by } };
    return {
      ...endpointQuery(showReceivables, wanted),
      queryFn: async () => {
        const { rows, ...answer } = await call(showReceivables, wanted);
        return { ...rows, ...answer };
      },
    };
  });
  const asOf = picked ?? list.data?.asOf ?? today;
  const rows = list.data;
  return (
    <>
      <PageHeading
        title="Receivables"
        about={`As of the end of ${formatDay(asOf)}`}
        actions={
          <ButtonLink to={`/admin/reports?type=receivables_as_of&day=${asOf}`}>
            Make a report
          </ButtonLink>
        }
      />
      <Filters>
        <DayField
          label="As of"
          error={undefined}
          value={asOf}
          onChange={() => undefined}
          onSettled={(day) => choose("as_of", day === null || day === today ? "" : day)}
        />
        <SelectField
          label="Owed for"
          error={undefined}
          options={bucketOptions}
          value={bucket ?? ""}
          onChange={(value) => choose("bucket", value)}
        />
      </Filters>
      <OverdueLinks />
      <ListTools
        list={listed("receivables")}
        filters={{ as_of: asOf, bucket }}
        printing={list.printing}
      />
      <DataTable
        caption="Receivables by attorney"
        captionHidden
        sort={sort}
        columns={columnsFor(rows)}
        rows={rows?.items}
        keyOf={(row) => row.attorneyId}
        empty={
          rows && rows.total > 0 ? (
            <EmptyState title="There is nothing on this page" action={<FirstPageLink />} />
          ) : bucket ? (
            <EmptyState
              title="Nobody owed anything of this age"
              action={<ButtonLink to="/admin/receivables">Show all ages</ButtonLink>}
            />
          ) : (
            <EmptyState title="Nobody owed anything">
              No attorney had a balance or credit at the end of {formatDay(asOf)}.
            </EmptyState>
          )
        }
        pending={list.isFetching}
        stale={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
      />
      <Paging list={rows} />
    </>
  );
}

const bucketOptions = [
  { value: "" as const, label: "Any time" },
  { value: "current" as const, label: "Current" },
  { value: "days30" as const, label: "1–30 days" },
  { value: "days60" as const, label: "31–60 days" },
  { value: "days90" as const, label: "61–90 days" },
  { value: "over90" as const, label: "Over 90 days" },
];
/** Who owes for so many days today: the debits themselves. */
function OverdueLinks() {
  return (
    <Row>
      <Muted small>Debits:</Muted>
      {[30, 60, 90].map((days) => (
        <Link key={days} to={`/admin/debits?state=overdue&min_days=${days + 1}`}>
          {`Owed for over ${days} days`}
        </Link>
      ))}
    </Row>
  );
}

const buckets = [
  ["current", "Current"],
  ["days30", "1–30 days"],
  ["days60", "31–60 days"],
  ["days90", "61–90 days"],
  ["over90", "Over 90 days"],
  ["total", "Total owed"],
  ["credit", "Credit"],
] as const;

function columnsFor(
  list: (Pick<Receivables, "totals"> & Receivables["rows"]) | undefined,
): Column<AgingRow>[] {
  return [
    {
      heading: "Attorney",
      sort: "attorney",
      cell: (row) => <Link to={`/admin/attorneys/${row.attorneyId}`}>{row.attorneyName}</Link>,
      total: list && totalWords(list.total, "attorney"),
    },
    ...buckets.map(([name, heading]) => ({
      heading,
      sort: name,
      amount: true,
      cell: (row: AgingRow) => <Money amount={row[name]} />,
      total: list && <Money amount={list.totals[name]} />,
    })),
  ];
}
