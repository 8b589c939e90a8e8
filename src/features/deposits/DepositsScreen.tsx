import { Link } from "react-router";
import type { z } from "zod";
import { NothingListed } from "#list/NothingListed.tsx";
import { listed } from "#features/lists/shapes.ts";
import { ListTools } from "#list/ListTools.tsx";
import { useListPages } from "#web/list-pages.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { ButtonLink } from "#web/ui/Button.tsx";
import { type Column, DataTable, totalWords } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Money } from "#web/ui/Money.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { Paging } from "#web/ui/Paging.tsx";
import { useSort } from "#web/ui/sort.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { type Deposit, depositColumns, listDeposits } from "./contract.ts";
import { DepositStatus } from "./DepositStatus.tsx";

type ListedDeposits = z.output<typeof listDeposits.object>;

const columnsFor = (list: ListedDeposits | undefined): Column<Deposit>[] => [
  {
    heading: "Deposit",
    sort: "number",
    sortsDown: true,
    total: list && totalWords(list.total, "deposit"),
    cell: ({ id, number }) => <Link to={`/admin/deposits/${id}`}>Deposit {number}</Link>,
  },
  {
    heading: "Day",
    sort: "day",
    sortsDown: true,
    nowrap: true,
    cell: ({ depositedOn }) => <DayText on={depositedOn} />,
  },
  { heading: "Bank account", sort: "account", cell: ({ accountName }) => accountName },
  { heading: "Status", sort: "status", cell: ({ status }) => <DepositStatus status={status} /> },
  {
    heading: "Checks",
    sort: "checks",
    amount: true,
    cell: ({ count }) => count.toLocaleString("en-US"),
    total: list?.totals.count.toLocaleString("en-US"),
  },
  {
    heading: "Total",
    sort: "total",
    amount: true,
    cell: ({ total }) => <Money amount={total} />,
    total: list && <Money amount={list.totals.total} />,
  },
  {
    heading: "Returned",
    sort: "returned",
    amount: true,
    cell: ({ returned }) => <Money amount={returned} />,
    total: list && <Money amount={list.totals.returned} />,
  },
];

const newDeposit = (
  <ButtonLink kind="primary" to="/admin/deposits/new">
    Make a deposit
  </ButtonLink>
);

/** Checks brought to the bank together, the newest first. */
export function DepositsScreen() {
  const sort = useSort(depositColumns);
  const list = useListPages((page) =>
    endpointQuery(listDeposits, { query: { ...page, sort: sort.by } }),
  );
  const isEmpty = list.data?.total === 0;
  return (
    <>
      <PageHeading title="Deposits" actions={!isEmpty && newDeposit} />
      {!isEmpty && (
        <ListTools
          list={listed("deposits")}
          filters={{}}
          printing={list.printing}
          exported="Export the checks of these"
        />
      )}
      <DataTable
        caption="Deposits"
        captionHidden
        sort={sort}
        columns={columnsFor(list.data)}
        rows={list.data?.items}
        keyOf={(deposit) => deposit.id}
        empty={
          <NothingListed
            total={list.data?.total}
            isFiltered={false}
            path="/admin/deposits"
            things="deposits"
          >
            <EmptyState title="No deposits yet" action={newDeposit}>
              Choose the approved checks that you bring to the bank, and print the slip.
            </EmptyState>
          </NothingListed>
        }
        pending={list.isFetching}
        stale={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
      />
      <Paging list={list.data} />
    </>
  );
}
