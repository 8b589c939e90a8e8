import { useState } from "react";
import { requestBody, call } from "#kit/web/api.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { inviteAdministrator } from "./contract.ts";
import { InvitationLink } from "./InvitationLink.tsx";
import { LinkDelivery } from "./LinkDelivery.tsx";

/** Create an administrator's account, then email and show its single-use link. */
export function InviteAdministratorDialog({ onClose }: { onClose: () => void }) {
  const [link, setLink] = useState<{ url: string; expiresAt: string } | null>(null);
  const form = useForm({
    start: { name: "", email: "" },
    labels: { email: "Email address" },
    send: (typed) => call(inviteAdministrator, { body: requestBody(inviteAdministrator, typed) }),
    onDone: setLink,
  });
  return (
    <Dialog title="Invite an administrator" onClose={onClose}>
      {link ? (
        <Stack gap={16}>
          <InvitationLink {...link} />
        </Stack>
      ) : (
        <Form form={form}>
          <p>They can do everything that you can. They get a link to choose a password.</p>
          <LinkDelivery />
          <TextField label="Name" {...form.field("name")} />
          <TextField label="Email address" type="email" {...form.field("email")} />
          <DialogActions>
            <SubmitButton pending={form.pending}>Invite administrator</SubmitButton>
          </DialogActions>
        </Form>
      )}
    </Dialog>
  );
}
