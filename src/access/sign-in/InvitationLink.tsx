import { CopyField } from "#kit/web/ui/CopyField.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";

/** The new single-use link, to copy in addition to the email. */
export function InvitationLink({ url, expiresAt }: { url: string; expiresAt: string }) {
  return (
    <>
      <p>
        This link works once, until <DayText on={expiresAt} />. Copy it now. It will not be shown
        again.
      </p>
      <CopyField label="Sign-in link" noun="link" value={url} />
    </>
  );
}
