import { Link } from "react-router";
import { formatDay } from "#kit/domain/day.ts";
import { FilterFields } from "#kit/list/FilterFields.tsx";
import { listToolsInfo } from "#kit/list/list-tools-info.ts";
import { sortNames } from "#kit/list/list-endpoint.ts";
import { type CellsOf, columnsOf } from "#kit/list/ListScreen.tsx";
import { ListTools } from "#kit/list/ListTools.tsx";
import { PagedTable } from "#kit/list/PagedTable.tsx";
import { useFilters } from "#kit/list/use-filters.tsx";
import { call } from "#kit/web/api.tsx";
import { useListPages } from "#kit/web/list-pages.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { ButtonLink } from "#kit/web/ui/Button.tsx";
import { Muted, Row } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { useSort } from "#kit/web/ui/sort.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { type AgingRow, showReceivables } from "./contract.ts";
import { receivables } from "./receivables.list.ts";

/** Each attorney's debt at the end of a day, by days overdue. Today unless another day is chosen. */
export function ReceivablesScreen() {
  const today = useToday();
  const { query, shown, choose } = useFilters(receivables.filters);
  const sort = useSort(sortNames(receivables));
  const list = useListPages((page) => {
    const wanted = { query: { ...page, ...query, sort: sort.by } };
    return {
      ...endpointQuery(showReceivables, wanted),
      queryFn: async () => {
        const { rows, ...answer } = await call(showReceivables, wanted);
        return { ...rows, ...answer };
      },
    };
  });
  const rows = list.data;
  const asOf = query.as_of ?? rows?.asOf ?? today;
  const filters = { ...shown, as_of: asOf };
  return (
    <>
      <PageHeading
        title="Receivables"
        about={`As of the end of ${formatDay(asOf)}`}
        actions={
          <ButtonLink to={`/admin/reports?type=receivables_as_of&day=${asOf}`}>
            Create a report
          </ButtonLink>
        }
      />
      <FilterFields
        filters={receivables.filters}
        address={filters}
        names={{}}
        choose={({ as_of: day, ...others }) =>
          choose({ ...others, ...(day !== undefined && { as_of: day === today ? "" : day }) })
        }
      />
      <OverdueLinks />
      <ListTools list={listToolsInfo(receivables)} filters={filters} printing={list.printing} />
      <PagedTable
        caption="Receivables by attorney"
        list={list}
        sort={sort}
        columns={columnsOf(receivables, { shown, cells }, rows)}
        keyOf={(row) => row.attorneyId}
        empty={
          query.bucket ? (
            <EmptyState
              title="No attorney owed anything of this age"
              action={<ButtonLink to="/admin/receivables">Show all ages</ButtonLink>}
            />
          ) : (
            <EmptyState title="No attorney owed anything">
              No attorney had a balance or credit at the end of {formatDay(asOf)}.
            </EmptyState>
          )
        }
      />
    </>
  );
}

const owed = (age: "days30" | "days60" | "days90" | "over90" | "total") => (row: AgingRow) => (
  <Money amount={row[age]} />
);

const cells: CellsOf<typeof receivables, AgingRow> = {
  attorney_name: (row) => <Link to={`/admin/attorneys/${row.attorneyId}`}>{row.attorneyName}</Link>,
  days_1_to_30: owed("days30"),
  days_31_to_60: owed("days60"),
  days_61_to_90: owed("days90"),
  over_90_days: owed("over90"),
  balance: owed("total"),
};

/** Links to debits overdue today by 30, 60 and 90 days. */
function OverdueLinks() {
  return (
    <Row>
      <Muted small>Debits:</Muted>
      {[30, 60, 90].map((days) => (
        <Link key={days} to={`/admin/debits?state=overdue&min_days=${days + 1}`}>
          {`Overdue for over ${days} days`}
        </Link>
      ))}
    </Row>
  );
}
