import { AttorneyDetails } from "#features/attorneys/AttorneyDetails.tsx";
import type { Attorney } from "#features/attorneys/contract.ts";

/** How to reach an attorney, their firm and their sign-in, section by section. */
export function DetailsTab({ attorney }: { attorney: Attorney }) {
  return (
    <>
      <AttorneyDetails attorney={attorney} />
    </>
  );
}
