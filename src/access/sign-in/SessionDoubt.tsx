import { useEffect, useState } from "react";
import { call } from "#kit/web/api.tsx";
import { onOwnerAnnounced } from "#kit/web/page-owner.tsx";
import { PageVeil } from "#kit/web/page-veil.tsx";
import { endpointQuery, showSaved } from "#kit/web/queries.tsx";
import { onSessionDoubt } from "#kit/web/sign-in-redirect.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { showSession } from "#kit/contract/session.ts";

type Doubt = "none" | "asking" | "unanswered";

/**
 * Finds out whether the page is still its owner's, and veils it meanwhile: a call of it was refused, its real-time
 * line was ended, or another page of this browser was opened as somebody else. What the server answers is what the
 * page goes by; without an answer it stays veiled.
 */
export function SessionDoubt({ ownerId, isOwners }: { ownerId: number; isOwners: boolean }) {
  const [doubt, setDoubt] = useState<Doubt>("none");
  useEffect(() => {
    const stops = [
      onSessionDoubt(() => void askWhoIsThere(setDoubt)),
      onOwnerAnnounced((other) => {
        if (!isOwners || other !== String(ownerId)) void askWhoIsThere(setDoubt);
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [ownerId, isOwners]);

  if (doubt === "none" || !isOwners) return null; // it is known not to be its owner's: `WhoIsThere` asks
  if (doubt === "asking") return <PageVeil />;
  const again = () => void askWhoIsThere(setDoubt);
  return (
    <Dialog veiled brief title="Is it still you?" onClose={again}>
      <Stack gap={16}>
        <p>Your session may have ended, and the server does not answer.</p>
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
