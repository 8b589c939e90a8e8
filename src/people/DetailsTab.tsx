import { AttorneyDetails } from "#people/AttorneyDetails.tsx";
import type { Attorney } from "#people/contract.ts";
import { DepartureSection } from "#people/departures/DepartureSection.tsx";

/** An attorney's contact details and panel membership. */
export function DetailsTab({ attorney }: { attorney: Attorney }) {
  return (
    <>
      <AttorneyDetails attorney={attorney} />
      <DepartureSection attorney={attorney} />
    </>
  );
}
