import { Link } from "react-router";
import type { z } from "zod";
import { NothingListed } from "#list/NothingListed.tsx";
import type { List } from "#web/queries.tsx";
import { ButtonLink } from "#web/ui/Button.tsx";
import { type Column, DataTable, totalWords } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Row } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import { Sums } from "#web/ui/Sums.tsx";
import type { Sort } from "#web/ui/sort.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import type { Ticks } from "#web/ui/ticks.tsx";
import { forWords, payerAddress } from "./check-words.tsx";
import { CheckStatus, checkStatusWord } from "./CheckStatus.tsx";
import type { Check, listChecks } from "./contract.ts";
import type { CheckFilters } from "./use-check-filters.tsx";

const columnsFor = (list: ListedChecks | undefined): Column<Check>[] => [
  {
    heading: "Number",
    sort: "number",
    cell: ({ id, checkNumber }) => <Link to={`/admin/checks/${id}`}>{checkNumber}</Link>,
    total: list && totalWords(list.total, "check"),
  },
  {
    heading: "Payer",
    sort: "payer",
    cell: ({ payer }) => <Link to={payerAddress(payer)}>{payer.name}</Link>,
  },
  {
    heading: "Received",
    sort: "received",
    sortsDown: true,
    cell: ({ receivedOn }) => <DayText on={receivedOn} />,
  },
  {
    heading: "Amount",
    sort: "amount",
    amount: true,
    cell: ({ amount }) => <Money amount={amount} />,
    total: list && <Sums parts={list.totals.parts} wordOf={checkStatusWord} />,
  },
  { heading: "For", cell: forWords },
  { heading: "Status", sort: "status", cell: ({ status }) => <CheckStatus status={status} /> },
];

type ListedChecks = z.output<typeof listChecks.object>;

interface ChecksTableProps {
  list: List<ListedChecks>;
  filters: CheckFilters;
  sort: Sort;
  ticks: Ticks<Check>;
}

export function ChecksTable({ list, filters, sort, ticks }: ChecksTableProps) {
  return (
    <DataTable
      caption="Checks"
      captionHidden
      columns={columnsFor(list.data)}
      rows={list.data?.items}
      keyOf={({ id }) => id}
      ticks={ticks}
      sort={sort}
      empty={
        <NothingListed
          total={list.data?.total}
          isFiltered={filters.isFiltered}
          path="/admin/checks"
          things="checks"
        >
          <NonePending />
        </NothingListed>
      }
      pending={list.isFetching}
      stale={list.isPlaceholderData}
      error={list.error}
      onRetry={() => void list.refetch()}
    />
  );
}

function NonePending() {
  return (
    <EmptyState
      title="No check is pending"
      action={
        <Row>
          <ButtonLink to="/admin/checks?status=all">Show all checks</ButtonLink>
        </Row>
      }
    >
      A check that is recorded and not yet approved or denied stands here.
    </EmptyState>
  );
}
