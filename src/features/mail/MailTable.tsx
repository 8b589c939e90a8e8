import { useState } from "react";
import type { Day } from "#domain/day.ts";
import { NothingListed } from "#list/NothingListed.tsx";
import { listed } from "#features/lists/shapes.ts";
import { ListTools } from "#list/ListTools.tsx";
import { useListPages } from "#web/list-pages.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { Button, ButtonLink } from "#web/ui/Button.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { TimeText } from "#web/ui/DayText.tsx";
import { Paging } from "#web/ui/Paging.tsx";
import { useSort } from "#web/ui/sort.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { listMail, type Mail, mailColumns } from "./contract.ts";
import css from "./mail.module.css";
import { DeliveryWords } from "./MailDelivery.tsx";
import { MailDialog } from "./MailDialog.tsx";
import { MailStatus } from "./MailStatus.tsx";

/** The network's mail: what was sent or, without a mail server, would have been. */
export function MailTable({
  status,
  from,
}: {
  status: Mail["status"] | "";
  from: Day | undefined;
}) {
  const [open, setOpen] = useState<Mail | null>(null);
  const which = { status: status || undefined, from };
  const sort = useSort(mailColumns);
  const list = useListPages((page) =>
    endpointQuery(listMail, { query: { ...page, ...which, sort: sort.by } }),
  );
  const isFiltered = status !== "" || from !== undefined;
  const delivery = list.data?.delivery;
  const columns: Column<Mail>[] = [
    { heading: "Subject", cell: (mail) => <Subject of={mail} onOpen={() => setOpen(mail)} /> },
    { heading: "To", sort: "to", cell: ({ recipient }) => recipient },
    {
      heading: "Written",
      sort: "written",
      sortsDown: true,
      cell: ({ createdAt }) => <TimeText at={createdAt} />,
    },
    {
      heading: "Status",
      sort: "status",
      cell: (mail) => <MailStatus of={mail} delivery={delivery} />,
    },
  ];
  return (
    <>
      {delivery && <DeliveryWords delivery={delivery} />}
      {(isFiltered || (list.data?.total ?? 0) > 0) && (
        <ListTools list={listed("mail")} filters={which} printing={list.printing} />
      )}
      <DataTable
        caption="Mail"
        captionHidden
        sort={sort}
        columns={columns}
        rows={list.data?.items}
        keyOf={(mail) => mail.id}
        empty={
          <NothingListed
            total={list.data?.total}
            isFiltered={false}
            path="/admin/mail"
            things="mail"
          >
            {isFiltered ? (
              <EmptyState
                title="No mail matches these filters"
                action={<ButtonLink to="/admin/mail">Clear filters</ButtonLink>}
              />
            ) : (
              <EmptyState title="No mail yet">
                Invitations, reminders of reports, notices of suspensions and receipts will stand
                here.
              </EmptyState>
            )}
          </NothingListed>
        }
        pending={list.isFetching}
        stale={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
      />
      <Paging list={list.data} />
      {open && <MailDialog mail={open} delivery={delivery} onClose={() => setOpen(null)} />}
    </>
  );
}

function Subject({ of: { subject, recipient }, onOpen }: { of: Mail; onOpen: () => void }) {
  return (
    <span className={css["subject"]}>
      <Button
        small
        kind="quiet"
        pending={false}
        label={`${subject}, to ${recipient}`}
        onClick={onOpen}
      >
        {subject}
      </Button>
    </span>
  );
}
