import { useState } from "react";
import { type CellsOf, ListPart, useListed } from "#kit/list/ListScreen.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { TimeText } from "#kit/web/ui/DayText.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { listMail, type Mail } from "./contract.ts";
import { mails } from "./mail.list.ts";
import css from "./mail.module.css";
import { type Delivery, MailDeliveryNotice } from "./MailDelivery.tsx";
import { MailDialog } from "./MailDialog.tsx";
import { MailStatus } from "./MailStatus.tsx";

/** The network's email, sent or, without a mail server, only saved. */
export function MailScreen() {
  const [open, setOpen] = useState<Mail | null>(null);
  const listed = useListed(mails, listMail);
  const delivery = listed.rows.data?.delivery;
  return (
    <>
      <PageHeading title="Email" />
      <ListPart
        listed={listed}
        note={delivery && <MailDeliveryNotice delivery={delivery} />}
        cells={cellsOf(delivery, setOpen)}
        empty={
          <EmptyState title="No email yet">
            Invitations, report reminders, suspension notices and receipts appear here.
          </EmptyState>
        }
      />
      {open && <MailDialog mail={open} delivery={delivery} onClose={() => setOpen(null)} />}
    </>
  );
}

const cellsOf = (
  delivery: Delivery | undefined,
  open: (mail: Mail) => void,
): CellsOf<typeof mails, Mail> => ({
  subject: (mail) => <Subject of={mail} onOpen={() => open(mail)} />,
  written_at: ({ createdAt }) => <TimeText at={createdAt} />,
  status: (mail) => <MailStatus of={mail} delivery={delivery} />,
});

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
