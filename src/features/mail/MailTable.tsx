import { useState } from "react";
import type { Day } from "#domain/day.ts";
import { endpointQuery, useList } from "#web/queries.tsx";
import { Button, ButtonLink } from "#web/ui/Button.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { TimeText } from "#web/ui/DayText.tsx";
import { Paging, usePage } from "#web/ui/Paging.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { listMail, type Mail } from "./contract.ts";
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
  const list = useList(endpointQuery(listMail, { query: { ...usePage(), ...which } }));
  const isFiltered = status !== "" || from !== undefined;
  const delivery = list.data?.delivery;
  const columns: Column<Mail>[] = [
    { heading: "Subject", cell: (mail) => <Subject of={mail} onOpen={() => setOpen(mail)} /> },
    { heading: "To", cell: ({ recipient }) => recipient },
    { heading: "Written", cell: ({ createdAt }) => <TimeText at={createdAt} /> },
    { heading: "Status", cell: (mail) => <MailStatus of={mail} delivery={delivery} /> },
  ];
  return (
    <>
      {delivery && <DeliveryWords delivery={delivery} />}
      <DataTable
        caption="Mail"
        captionHidden
        columns={columns}
        rows={list.data?.items}
        keyOf={(mail) => mail.id}
        empty={
          isFiltered ? (
            <EmptyState
              title="No mail matches these filters"
              action={<ButtonLink to="/admin/mail">Clear filters</ButtonLink>}
            />
          ) : (
            <EmptyState title="No mail yet">
              Invitations, reminders of reports, notices of suspensions and receipts will stand
              here.
            </EmptyState>
          )
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
