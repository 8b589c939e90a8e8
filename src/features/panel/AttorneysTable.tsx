import type { ReactNode } from "react";
import { Link } from "react-router";
import type { z } from "zod";
import { NothingListed } from "#list/NothingListed.tsx";
import type { List } from "#web/queries.tsx";
import { type Column, DataTable, totalWords } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { EmailLink, PhoneLink } from "#web/ui/Details.tsx";
import { Muted } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import type { Sort } from "#web/ui/sort.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import type { Ticks } from "#web/ui/ticks.tsx";
import css from "./panel.module.css";
import { AttorneyStatus } from "#features/attorneys/AttorneyStatus.tsx";
import type { listAttorneys, PanelRow } from "#features/attorneys/contract.ts";

type Panel = z.output<typeof listAttorneys.object>;

const columnsFor = (list: Panel | undefined): Column<PanelRow>[] => [
  {
    heading: "Name",
    sort: "name",
    cell: ({ id, name }) => <Link to={`/admin/attorneys/${id}`}>{name}</Link>,
    total: list && totalWords(list.total, "attorney"),
  },
  { heading: "Email", sort: "email", wideOnly: true, cell: ({ email }) => <Email of={email} /> },
  {
    heading: "Phone",
    sort: "phone",
    cell: ({ phone }) => (phone ? <PhoneLink phone={phone} /> : <Muted>Not provided</Muted>),
  },
  {
    heading: "Firm",
    sort: "firm",
    wideOnly: true,
    cell: ({ firm }) => firm && <Link to={`/admin/firms/${firm.id}`}>{firm.name}</Link>,
  },
  { heading: "Status", sort: "status", cell: (attorney) => <AttorneyStatus attorney={attorney} /> },
  {
    heading: "Balance",
    sort: "balance",
    amount: true,
    cell: ({ balance }) => <Money amount={balance} />,
    total: list && <Money amount={list.totals.balance} />,
  },
  {
    heading: "Overdue",
    sort: "overdue",
    amount: true,
    cell: ({ overdue }) => <Money amount={overdue} />,
    total: list && <Money amount={list.totals.overdue} />,
  },
  {
    heading: "Overdue since",
    sort: "since",
    nowrap: true,
    cell: ({ overdueSince }) => overdueSince && <DayText on={overdueSince} />,
  },
  {
    heading: "Last sign-in",
    sort: "signed_in",
    sortsDown: true,
    nowrap: true,
    wideOnly: true,
    cell: ({ lastSignedInAt }) =>
      lastSignedInAt ? <DayText on={lastSignedInAt} /> : <Muted>Never</Muted>,
  },
];

interface AttorneysTableProps {
  list: List<Panel>;
  ticks: Ticks<PanelRow>;
  sort: Sort;
  /** There is nobody at all, not only nobody who matches. */
  isPanelEmpty: boolean;
  /** The buttons that add or import attorneys. */
  addActions: ReactNode;
}

export function AttorneysTable(props: AttorneysTableProps) {
  const { list, ticks, sort, isPanelEmpty, addActions } = props;
  return (
    <DataTable
      caption="Attorneys"
      captionHidden
      columns={columnsFor(list.data)}
      rows={list.data?.items}
      ticks={ticks}
      sort={sort}
      keyOf={(attorney) => attorney.id}
      empty={
        <NothingListed
          total={list.data?.total}
          isFiltered={!isPanelEmpty}
          path="/admin/attorneys"
          things="attorneys"
          hint="The search looks for every word in names, email addresses, phone and bar numbers."
        >
          <EmptyPanel waysIn={addActions} />
        </NothingListed>
      }
      pending={list.isFetching}
      stale={list.isPlaceholderData}
      error={list.error}
      onRetry={() => void list.refetch()}
    />
  );
}

function Email({ of: email }: { of: string }) {
  return (
    <span className={css["email"]}>
      <EmailLink email={email} />
    </span>
  );
}

function EmptyPanel({ waysIn: addActions }: { waysIn: ReactNode }) {
  return (
    <EmptyState title="No attorneys yet" action={addActions}>
      Add the first one here, or import a whole list from a spreadsheet.
    </EmptyState>
  );
}
