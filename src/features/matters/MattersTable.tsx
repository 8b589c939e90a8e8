import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Page } from "#contract/page.ts";
import { NothingListed } from "#list/NothingListed.tsx";
import type { List } from "#web/queries.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { EmailLink, PhoneLink } from "#web/ui/Details.tsx";
import { Muted, Stack } from "#web/ui/layout.tsx";
import type { Sort } from "#web/ui/sort.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import type { Matter } from "./contract.ts";
import css from "./matters.module.css";
import { MatterStatus } from "./MatterStatus.tsx";
import { ReportDue } from "./ReportDue.tsx";

const columns: Column<Matter>[] = [
  {
    heading: "Name",
    sort: "name",
    cell: ({ id, name }) => <Link to={`/admin/matters/${id}`}>{name}</Link>,
  },
  { heading: "Phone and email", cell: (matter) => <Contact of={matter} /> },
  { heading: "Status", sort: "status", cell: ({ status }) => <MatterStatus status={status} /> },
  { heading: "Attorney", sort: "attorney", cell: (matter) => <AttorneyName of={matter} /> },
  {
    heading: "Referred",
    sort: "referred",
    sortsDown: true,
    cell: (matter) => <ReferredOn matter={matter} />,
  },
  { heading: "Report due", sort: "due", cell: ({ reportDueOn }) => <ReportDue on={reportDueOn} /> },
];

interface MattersTableProps {
  list: List<Page<Matter>>;
  sort: Sort;
  /** There is none at all, not only none that matches. */
  isEmpty: boolean;
  /** The links that record or import referrals. */
  addActions: ReactNode;
}

export function MattersTable({ list, sort, isEmpty, addActions }: MattersTableProps) {
  return (
    <DataTable
      caption="Referrals"
      captionHidden
      columns={columns}
      rows={list.data?.items}
      sort={sort}
      keyOf={(matter) => matter.id}
      empty={
        <NothingListed
          total={list.data?.total}
          isFiltered={!isEmpty}
          path="/admin/matters"
          things="referrals"
          hint="The search looks for every word in names, email addresses, phone numbers and cities."
        >
          <EmptyMatters waysIn={addActions} />
        </NothingListed>
      }
      pending={list.isFetching}
      stale={list.isPlaceholderData}
      error={list.error}
      onRetry={() => void list.refetch()}
    />
  );
}

/** Beside each other, each in its place, where there is room; else below each other. */
function Contact({ of: { phone, email } }: { of: Matter }) {
  if (!phone && !email) return <Muted>Not provided</Muted>;
  const missing = <span className={css["missing"]}>Not provided</span>;
  return (
    <span className={css["contact"]}>
      <span>{phone ? <PhoneLink phone={phone} /> : missing}</span>
      <span className={css["email"]}>{email ? <EmailLink email={email} /> : missing}</span>
    </span>
  );
}

function AttorneyName({ of: { attorneyId, attorneyName, status } }: { of: Matter }) {
  if (attorneyId === null) return <Muted>{status === "new" ? "None yet" : "None"}</Muted>;
  return (
    <span className={css["attorney"]}>
      <Link to={`/admin/attorneys/${attorneyId}`}>{attorneyName}</Link>
    </span>
  );
}

function ReferredOn({ matter: { referredAt, submittedAt, status } }: { matter: Matter }) {
  if (referredAt !== null) return <DayText on={referredAt} />;
  return (
    <Stack gap={4}>
      <span>{status === "new" ? "Not yet" : "Never"}</span>
      <Muted small>
        requested <DayText on={submittedAt} />
      </Muted>
    </Stack>
  );
}

function EmptyMatters({ waysIn: addActions }: { waysIn: ReactNode }) {
  return (
    <EmptyState title="No referrals yet" action={addActions}>
      Record the first one here, or import a whole list from a spreadsheet.
    </EmptyState>
  );
}
