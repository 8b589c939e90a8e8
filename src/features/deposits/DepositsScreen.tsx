import { Link } from "react-router";
import { endpointQuery, useList } from "#web/queries.tsx";
import { ButtonLink } from "#web/ui/Button.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Money } from "#web/ui/Money.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { Paging, usePage } from "#web/ui/Paging.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { type Deposit, listDeposits } from "./contract.ts";
import { DepositStatus } from "./DepositStatus.tsx";

const columns: Column<Deposit>[] = [
  {
    heading: "Deposit",
    cell: ({ id, number }) => <Link to={`/admin/deposits/${id}`}>Deposit {number}</Link>,
  },
  { heading: "Day", nowrap: true, cell: ({ depositedOn }) => <DayText on={depositedOn} /> },
  { heading: "Bank account", cell: ({ accountName }) => accountName },
  { heading: "Status", cell: ({ status }) => <DepositStatus status={status} /> },
  { heading: "Checks", amount: true, cell: ({ count }) => count.toLocaleString("en-US") },
  { heading: "Total", amount: true, cell: ({ total }) => <Money amount={total} /> },
  { heading: "Returned", amount: true, cell: ({ returned }) => <Money amount={returned} /> },
];

const newDeposit = (
  <ButtonLink kind="primary" to="/admin/deposits/new">
    Make a deposit
  </ButtonLink>
);

/** Checks brought to the bank together, the newest first. */
export function DepositsScreen() {
  const list = useList(endpointQuery(listDeposits, { query: usePage() }));
  const isEmpty = list.data?.total === 0;
  return (
    <>
      <PageHeading title="Deposits" actions={!isEmpty && newDeposit} />
      <DataTable
        caption="Deposits"
        captionHidden
        columns={columns}
        rows={list.data?.items}
        keyOf={(deposit) => deposit.id}
        empty={
          isEmpty ? (
            <EmptyState title="No deposits yet" action={newDeposit}>
              Choose the approved checks that you bring to the bank, and print the slip.
            </EmptyState>
          ) : (
            <EmptyState
              title="There is nothing on this page"
              action={<ButtonLink to="/admin/deposits">Go to the first page</ButtonLink>}
            />
          )
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
