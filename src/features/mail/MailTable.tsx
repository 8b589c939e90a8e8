import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { asking } from "#web/queries.tsx";
import { Button } from "#web/ui/Button.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { TimeText } from "#web/ui/DayText.tsx";
import { Muted } from "#web/ui/layout.tsx";
import { Paging, usePage } from "#web/ui/Paging.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { listMail, type Mail } from "./contract.ts";
import css from "./mail.module.css";
import { MailDialog } from "./MailDialog.tsx";
import { MailStatus } from "./MailStatus.tsx";

/** The network's mail: what was sent or, without a mail server, would have been. */
export function MailTable() {
  const [open, setOpen] = useState<Mail | null>(null);
  const list = useQuery({
    ...asking(listMail, { query: { ...usePage(), per_page: 10 } }),
    placeholderData: keepPreviousData,
  });
  const delivery = list.data?.delivery;
  const columns: Column<Mail>[] = [
    { heading: "Subject", cell: (mail) => <Subject of={mail} onOpen={() => setOpen(mail)} /> },
    { heading: "To", cell: ({ recipient }) => recipient },
    { heading: "Written", cell: ({ createdAt }) => <TimeText at={createdAt} /> },
    { heading: "Status", cell: (mail) => <MailStatus of={mail} delivery={delivery} /> },
  ];
  return (
    <>
      {delivery === "disk" && (
        <Muted>
          No mail server is set up, so nothing leaves this machine: each mail is written to a file
          in the outbox folder. Set SMTP_URL to have mail sent.
        </Muted>
      )}
      <DataTable
        caption="Mail"
        captionHidden
        columns={columns}
        rows={list.data?.items}
        keyOf={(mail) => mail.id}
        empty={
          <EmptyState title="No mail yet">
            Invitations, reminders of reports, notices of suspensions and receipts will stand here.
          </EmptyState>
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
