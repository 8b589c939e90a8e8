import { AttorneyDetails } from "#people/AttorneyDetails.tsx";
import type { Attorney } from "#people/contract.ts";
import { DepartureSection } from "#people/departures/DepartureSection.tsx";

/** How to reach an attorney, their firm and their sign-in, and whether they have left, section by section. */
export function DetailsTab({ attorney }: { attorney: Attorney }) {
  return (
    <>
      <AttorneyDetails attorney={attorney} />
      <DepartureSection attorney={attorney} />
    </>
  );
}
