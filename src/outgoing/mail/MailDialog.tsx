import { TimeText } from "#kit/web/ui/DayText.tsx";
import { Detail, Details } from "#kit/web/ui/Details.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import type { Mail } from "./contract.ts";
import css from "./mail.module.css";
import { MailStatus } from "./MailStatus.tsx";

interface MailDialogProps {
  mail: Mail;
  delivery: "server" | "disk" | undefined;
  onClose: () => void;
}

/** One email, as its recipient sees it. */
export function MailDialog({ mail, delivery, onClose }: MailDialogProps) {
  return (
    <Dialog title={mail.subject} onClose={onClose}>
      <Stack gap={16}>
        <Details>
          <Detail name="To">{mail.recipient}</Detail>
          <Detail name="Written">
            <TimeText at={mail.createdAt} />
          </Detail>
          {mail.sentAt && (
            <Detail name={delivery === "disk" ? "Saved, not sent" : "Sent"}>
              <TimeText at={mail.sentAt} />
            </Detail>
          )}
          {mail.status !== "sent" && (
            <Detail name="Status">
              <MailStatus of={mail} delivery={delivery} />
            </Detail>
          )}
        </Details>
        <p className={css["body"]}>{mail.body}</p>
      </Stack>
    </Dialog>
  );
}
