import { AttorneyDetails } from "#features/attorneys/AttorneyDetails.tsx";
import type { Attorney } from "#features/attorneys/contract.ts";
import { Stack } from "#web/ui/layout.tsx";

/** How to reach an attorney, their firm, and their place on the panel. */
export function DetailsTab({ attorney }: { attorney: Attorney }) {
  return (
    <Stack gap={24}>
      <AttorneyDetails attorney={attorney} />
    </Stack>
  );
}
