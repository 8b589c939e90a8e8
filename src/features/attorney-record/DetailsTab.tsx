import { AttorneyDetails } from "#features/attorneys/AttorneyDetails.tsx";
import type { Attorney } from "#features/attorneys/contract.ts";
import { DepartureSection } from "#features/departures/DepartureSection.tsx";

/** How to reach an attorney, their firm and their sign-in, and whether they have left, section by section. */
export function DetailsTab({ attorney }: { attorney: Attorney }) {
  return (
    <>
      <AttorneyDetails attorney={attorney} />
      <DepartureSection attorney={attorney} />
    </>
  );
}
