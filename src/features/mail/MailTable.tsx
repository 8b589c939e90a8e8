import { useState } from "react";
import { Link } from "react-router";
import type { z } from "zod";
import { endpointQuery, useList } from "#web/queries.tsx";
import { Button } from "#web/ui/Button.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { TimeText } from "#web/ui/DayText.tsx";
import { Paging, usePage } from "#web/ui/Paging.tsx";
import { EmptyState, Warning } from "#web/ui/states.tsx";
import { listMail, type Mail } from "./contract.ts";
import css from "./mail.module.css";
import { MailDialog } from "./MailDialog.tsx";
import { MailStatus } from "./MailStatus.tsx";

type MailList = z.output<(typeof listMail)["object"]>;

/** The network's mail: what was sent or, without a mail server, would have been. */
export function MailTable() {
  const [open, setOpen] = useState<Mail | null>(null);
  const list = useList(endpointQuery(listMail, { query: { ...usePage(), per_page: 10 } }));
  const delivery = list.data?.delivery;
  const columns: Column<Mail>[] = [
    { heading: "Subject", cell: (mail) => <Subject of={mail} onOpen={() => setOpen(mail)} /> },
    { heading: "To", cell: ({ recipient }) => recipient },
    { heading: "Written", cell: ({ createdAt }) => <TimeText at={createdAt} /> },
    { heading: "Status", cell: (mail) => <MailStatus of={mail} delivery={delivery} /> },
  ];
  return (
    <>
      {delivery && <Delivery delivery={delivery} />}
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

/** Whether anybody receives the mail, and whom to turn to. */
function Delivery({ delivery }: { delivery: MailList["delivery"] }) {
  const forOperators = <Link to="/admin/operators">For operators</Link>;
  if (delivery === "server")
    return (
      <p>
        Mail is being sent. If somebody misses one, see below whether it was delivered, and ask them
        to look for it among their junk mail. {forOperators}
      </p>
    );
  return (
    <Warning title="Mail is not being sent">
      <p>
        This service is not connected to a mail server yet, so nobody receives the mail below: it is
        only kept. Hand sign-in links over yourself meanwhile; they are shown when you make them.
      </p>
      <p>Whoever runs this service for you can have mail sent. {forOperators}</p>
    </Warning>
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
