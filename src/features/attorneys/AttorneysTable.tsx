import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Page } from "#contract/page.ts";
import type { List } from "#web/queries.tsx";
import { ButtonLink } from "#web/ui/Button.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { EmailLink, PhoneLink } from "#web/ui/Details.tsx";
import { Muted } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import type { Ticks } from "#web/ui/ticks.tsx";
import css from "./attorneys.module.css";
import { AttorneyStatus } from "./AttorneyStatus.tsx";
import type { AttorneyRow } from "./contract.ts";

const columns: Column<AttorneyRow>[] = [
  { heading: "Name", cell: ({ id, name }) => <Link to={`/admin/attorneys/${id}`}>{name}</Link> },
  { heading: "Email", cell: ({ email }) => <Email of={email} /> },
  {
    heading: "Phone",
    cell: ({ phone }) => (phone ? <PhoneLink phone={phone} /> : <Muted>Not provided</Muted>),
  },
  { heading: "Status", cell: (attorney) => <AttorneyStatus attorney={attorney} /> },
  { heading: "Balance", amount: true, cell: ({ balance }) => <Money amount={balance} /> },
];

interface AttorneysTableProps {
  list: List<Page<AttorneyRow>>;
  ticks: Ticks<AttorneyRow>;
  /** There is nobody at all, not only nobody who matches. */
  isPanelEmpty: boolean;
  /** The buttons that add or import attorneys. */
  addActions: ReactNode;
}

export function AttorneysTable({ list, ticks, isPanelEmpty, addActions }: AttorneysTableProps) {
  return (
    <DataTable
      caption="Attorneys"
      captionHidden
      columns={columns}
      rows={list.data?.items}
      ticks={ticks}
      keyOf={(attorney) => attorney.id}
      empty={isPanelEmpty ? <EmptyPanel waysIn={addActions} /> : <NothingFound list={list.data} />}
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

/** Either no attorney matches, or the address asks for a page beyond the last one. */
function NothingFound({ list }: { list: Page<AttorneyRow> | undefined }) {
  if (list && list.total > 0) {
    return (
      <EmptyState
        title="There is nothing on this page"
        action={<ButtonLink to="/admin/attorneys">Go to the first page</ButtonLink>}
      />
    );
  }
  return (
    <EmptyState
      title="No attorneys match these filters"
      action={<ButtonLink to="/admin/attorneys">Clear filters</ButtonLink>}
    >
      The search looks for every word in names, email addresses, phone and bar numbers.
    </EmptyState>
  );
}
