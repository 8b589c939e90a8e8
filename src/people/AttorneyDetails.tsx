import { useState } from "react";
import { Link } from "react-router";
import { endSessionsOfAttorney, removeSecondFactorOfAttorney } from "#access/sign-in/contract.ts";
import { RemoveSecondFactorButton } from "#access/sign-in/RemoveSecondFactorButton.tsx";
import { SignOutEverywhereButton } from "#access/sign-in/SignOutEverywhereButton.tsx";
import { call } from "#kit/web/api.tsx";
import { emailedText } from "#kit/web/mail-delivery.tsx";
import { type Address, addressLines } from "#kit/domain/us-address.ts";
import { Button } from "#kit/web/ui/Button.tsx";
import { Detail, Details, EmailLink, PhoneLink } from "#kit/web/ui/Details.tsx";
import { Row, Section } from "#kit/web/ui/layout.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import type { Attorney } from "./contract.ts";
import { EditAttorneyDialog } from "./EditAttorneyDialog.tsx";
import { InviteDialog, linkWords } from "./InviteDialog.tsx";
import { PendingEmail } from "./PendingEmail.tsx";

/** An attorney's contact details, with buttons to change them and to manage sign-in. */
export function AttorneyDetails({ attorney }: { attorney: Attorney }) {
  const [open, setOpen] = useState<"edit" | "invite" | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const close = () => setOpen(null);
  const show = (dialog: "edit" | "invite") => {
    setDone(null);
    setOpen(dialog);
  };
  return (
    <Section
      title="Contact details"
      actions={
        <Row>
          <Button small pending={false} onClick={() => show("edit")}>
            Edit
          </Button>
          {attorney.leftOn === null && (
            <Button small pending={false} onClick={() => show("invite")}>
              {linkWords(attorney)}
            </Button>
          )}
          {attorney.leftOn === null && attorney.account === "active" && (
            <SignOutEverywhereButton
              name={attorney.name}
              signOut={() => call(endSessionsOfAttorney, { params: { id: attorney.id } })}
              onDone={setDone}
            />
          )}
          {attorney.hasSecondFactor && (
            <RemoveSecondFactorButton
              name={attorney.name}
              remove={() => call(removeSecondFactorOfAttorney, { params: { id: attorney.id } })}
              onDone={setDone}
            />
          )}
        </Row>
      }
    >
      <Notice>{done}</Notice>
      <PendingEmail attorney={attorney} onDone={setDone} />
      <Details>
        <Detail name="Email">
          <EmailLink email={attorney.email} />
          {attorney.emailRefusal && (
            <div>
              <StatusMark tone="bad">{`Refused: ${attorney.emailRefusal}`}</StatusMark>
            </div>
          )}
        </Detail>
        <Detail name="Phone">{attorney.phone && <PhoneLink phone={attorney.phone} />}</Detail>
        <Detail name="Address">{addressLines(addressOf(attorney)).join("\n")}</Detail>
        <Detail name="Bar number">{attorney.barNumber}</Detail>
        <Detail name="Firm">
          {attorney.firm && (
            <Link to={`/admin/firms/${attorney.firm.id}`}>{attorney.firm.name}</Link>
          )}
        </Detail>
        <Detail name="Sign-in">
          <AccountStatus attorney={attorney} />
          {attorney.account === "active" && attorney.hasSecondFactor && " with a second factor"}
        </Detail>
      </Details>
      {open === "edit" && (
        <EditAttorneyDialog
          attorney={attorney}
          onClose={close}
          onDone={(before, saved) => {
            close();
            setDone(`Contact details saved.${consequenceOf(before, saved)}`);
          }}
        />
      )}
      {open === "invite" && <InviteDialog attorney={attorney} onClose={close} />}
    </Section>
  );
}

/** Whether the attorney can sign in. An invitation ends after seven days or with a new email address. */
function AccountStatus({ attorney: { account, leftOn } }: { attorney: Attorney }) {
  if (leftOn !== null) return <StatusMark tone="quiet">Closed</StatusMark>;
  if (account === "active") return <StatusMark tone="good">Can sign in</StatusMark>;
  if (account === "new_password")
    return <StatusMark tone="waiting">Must choose a new password</StatusMark>;
  if (account === "invited") return <StatusMark tone="waiting">Invited</StatusMark>;
  if (account === "invitation_ended") return <StatusMark tone="bad">Invitation ended</StatusMark>;
  return <StatusMark tone="quiet">Not invited yet</StatusMark>;
}

/** What a new email address changes or still needs, as a sentence; empty if nothing. */
function consequenceOf(before: Attorney, saved: Attorney): string {
  const { pendingEmail } = saved;
  if (pendingEmail && pendingEmail.email !== before.pendingEmail?.email)
    return ` The email address changes after it is confirmed by a link. ${emailedText(`${pendingEmail.email} and ${saved.email} will be emailed.`)}`;
  if (saved.email === before.email) return "";
  if (before.account === "invited")
    return ` The invitation to ${before.email} no longer works. Invite ${saved.name} again.`;
  return "";
}

function addressOf(attorney: Attorney): Address {
  return {
    line1: attorney.addressLine1,
    line2: attorney.addressLine2,
    city: attorney.addressCity,
    region: attorney.addressRegion,
    zip: attorney.addressZip,
  };
}
