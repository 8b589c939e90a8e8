import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { call } from "#web/api.tsx";
import { Button } from "#web/ui/Button.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Dialog } from "#web/ui/Dialog.tsx";
import { Field } from "#web/ui/Field.tsx";
import { Stack } from "#web/ui/layout.tsx";
import { Notice } from "#web/ui/states.tsx";
import { type Attorney, inviteAttorney } from "./contract.ts";

interface InviteDialogProps {
  attorney: Attorney;
  onClose: () => void;
}

/** Makes the single-use link with which an attorney chooses a password, to be handed over. */
export function InviteDialog({ attorney, onClose }: InviteDialogProps) {
  const inviting = useMutation({
    mutationFn: () => call(inviteAttorney, { params: { id: attorney.id } }),
  });
  return (
    <Dialog title="Invite to sign in" onClose={onClose}>
      <Stack gap={16}>
        {inviting.data ? (
          <InvitationLink {...inviting.data} />
        ) : (
          <>
            <p>
              Makes a link with which {attorney.name} chooses a password and signs in as{" "}
              <strong>{attorney.email}</strong>. It works once, for seven days; links made for them
              before stop working.
            </p>
            <p>Mail is not sent yet: copy the link and send it yourself.</p>
            <div>
              <Button kind="primary" pending={inviting.isPending} onClick={() => inviting.mutate()}>
                Make a sign-in link
              </Button>
            </div>
          </>
        )}
      </Stack>
    </Dialog>
  );
}

function InvitationLink({ url, expiresAt }: { url: string; expiresAt: string }) {
  const [said, setSaid] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []); // the button that had it is gone
  const handleCopy = async () => {
    input.current?.select();
    const isCopied = await copied(url);
    setSaid(isCopied ? "Copied." : "The link is selected: copy it with Ctrl+C or ⌘C.");
  };
  return (
    <>
      <Field label="Sign-in link" error={undefined}>
        {(control) => (
          <input
            {...control}
            ref={input}
            readOnly
            value={url}
            onFocus={(event) => event.target.select()}
          />
        )}
      </Field>
      <p>
        It works once, until <DayText on={expiresAt} />. It cannot be shown again: copy it now.
      </p>
      <div>
        <Button kind="primary" pending={false} onClick={() => void handleCopy()}>
          Copy link
        </Button>
      </div>
      <Notice>{said}</Notice>
    </>
  );
}

/** Whether the browser let us write to the clipboard: it does so over TLS and on this machine only. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // the person is told to copy it by hand
  }
}
