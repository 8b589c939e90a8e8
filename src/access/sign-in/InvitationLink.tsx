import { CopyField } from "#kit/web/ui/CopyField.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";

/** The single-use link just made, to be handed over besides being mailed. */
export function InvitationLink({ url, expiresAt }: { url: string; expiresAt: string }) {
  return (
    <>
      <p>
        It works once, until <DayText on={expiresAt} />. It cannot be shown again: copy it now.
      </p>
      <CopyField label="Sign-in link" noun="link" value={url} />
    </>
  );
}
