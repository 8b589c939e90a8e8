import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import type { Matter } from "./contract.ts";
import { MatterDetails } from "./MatterDetails.tsx";
import { MatterReports } from "./MatterReports.tsx";

/** What an attorney sees of a referral: the client, and the reports filed so far. */
export function OwnMatterDialog({ matter, onClose }: { matter: Matter; onClose: () => void }) {
  return (
    <Dialog wide title={matter.name} onClose={onClose}>
      <Stack gap={24}>
        <MatterDetails matter={matter} />
        <MatterReports matter={matter} />
      </Stack>
    </Dialog>
  );
}
