import { useState } from "react";
import { type Address, addressLines } from "#domain/us-address.ts";
import { Button } from "#web/ui/Button.tsx";
import { Detail, Details, EmailLink, PhoneLink } from "#web/ui/Details.tsx";
import { Row, Section } from "#web/ui/layout.tsx";
import { Notice } from "#web/ui/states.tsx";
import type { Attorney } from "./contract.ts";
import { EditAttorneyDialog } from "./EditAttorneyDialog.tsx";
import { InviteDialog } from "./InviteDialog.tsx";

/** How to reach an attorney, with what changes it and the invitation to sign in. */
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
          <Button small pending={false} onClick={() => show("invite")}>
            Invite to sign in
          </Button>
        </Row>
      }
    >
      <Notice>{done}</Notice>
      <Details>
        <Detail name="Email">
          <EmailLink email={attorney.email} />
        </Detail>
        <Detail name="Phone">{attorney.phone && <PhoneLink phone={attorney.phone} />}</Detail>
        <Detail name="Address">{addressLines(addressOf(attorney)).join("\n")}</Detail>
        <Detail name="Bar number">{attorney.barNumber}</Detail>
      </Details>
      {open === "edit" && (
        <EditAttorneyDialog
          attorney={attorney}
          onClose={close}
          onDone={() => {
            close();
            setDone("Contact details saved.");
          }}
        />
      )}
      {open === "invite" && <InviteDialog attorney={attorney} onClose={close} />}
    </Section>
  );
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
