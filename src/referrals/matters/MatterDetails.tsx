import { DayText } from "#kit/web/ui/DayText.tsx";
import { Detail, Details, EmailLink, PhoneLink } from "#kit/web/ui/Details.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import type { Matter } from "./contract.ts";

interface MatterDetailsProps {
  matter: Matter;
  /** Show only the fields that cannot be edited. */
  readOnlyPart?: boolean;
}

/** A referral's client and contact details. Source: spec §2. */
export function MatterDetails({ matter, readOnlyPart = false }: MatterDetailsProps) {
  return (
    <Details>
      {!readOnlyPart && (
        <>
          <Detail name="Name">{matter.name}</Detail>
          <Detail name="Phone">{matter.phone && <PhoneLink phone={matter.phone} />}</Detail>
          <Detail name="Email">{matter.email && <EmailLink email={matter.email} />}</Detail>
          <Detail name="Address">{matter.addressDisplay}</Detail>
        </>
      )}
      <Detail name="Contact preference">{matter.contactPreferenceSentence}</Detail>
      <Detail name="Follow-up consent">{matter.followupConsentSentence}</Detail>
      <Detail name="Referral date">
        {matter.referredAt ? <DayText on={matter.referredAt} /> : <Muted>Not referred yet</Muted>}
      </Detail>
      <Detail name="Note">{matter.note}</Detail>
    </Details>
  );
}
