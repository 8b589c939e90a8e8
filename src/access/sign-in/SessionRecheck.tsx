import { useEffect, useState } from "react";
import { call } from "#kit/web/api.tsx";
import { onOwnerAnnounced } from "#kit/web/page-owner.tsx";
import { PageCover } from "#kit/web/page-cover.tsx";
import { endpointQuery, showSaved } from "#kit/web/queries.tsx";
import { onSessionRecheck } from "#kit/web/sign-in-redirect.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { showSession } from "#kit/contract/session.ts";

type Doubt = "none" | "asking" | "unanswered";

/**
 * Asks the server whether the page still belongs to its owner, and hides the page until the answer. Asks after a
 * refused call, an ended real-time connection, or a sign-in as someone else in this browser. Without an answer, the
 * page stays hidden.
 */
export function SessionRecheck({ ownerId, isOwners }: { ownerId: number; isOwners: boolean }) {
  const [doubt, setDoubt] = useState<Doubt>("none");
  useEffect(() => {
    const stops = [
      onSessionRecheck(() => void askWhoIsThere(setDoubt)),
      onOwnerAnnounced((other) => {
        if (!isOwners || other !== String(ownerId)) void askWhoIsThere(setDoubt);
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [ownerId, isOwners]);

  if (doubt === "none" || !isOwners) return null; // the owner is known to have changed; `OtherUserSignedIn` asks
  if (doubt === "asking") return <PageCover />;
  const again = () => void askWhoIsThere(setDoubt);
  return (
    <Dialog veiled brief title="Is it still you?" onClose={again}>
      <Stack gap={16}>
        <p>Your session may have ended, and the server is not answering.</p>
        <Button pending={false} onClick={again}>
          Try again
        </Button>
      </Stack>
    </Dialog>
  );
}

async function askWhoIsThere(onDoubt: (doubt: Doubt) => void): Promise<void> {
  onDoubt("asking");
  try {
    showSaved(endpointQuery(showSession).queryKey, await call(showSession));
    onDoubt("none");
  } catch {
    onDoubt("unanswered");
  }
}
