import { type ReactNode, useState } from "react";
import { Button } from "#web/ui/Button.tsx";
import { Muted, Row, Section } from "#web/ui/layout.tsx";
import { Notice } from "#web/ui/states.tsx";
import css from "./attorneys.module.css";
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
      <dl className={css["details"]}>
        <Detail name="Email">
          <a href={`mailto:${attorney.email}`}>{attorney.email}</a>
        </Detail>
        <Detail name="Phone">
          {attorney.phone && (
            <a href={`tel:${attorney.phone.replace(/[^\d+]/g, "")}`}>{attorney.phone}</a>
          )}
        </Detail>
        <Detail name="Address">{addressOf(attorney)}</Detail>
        <Detail name="Bar number">{attorney.barNumber}</Detail>
      </dl>
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

function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children || <Muted>Not provided</Muted>}</dd>
    </div>
  );
}

/** As on an envelope: "12 Harbor Street", "Suite 400", "Boston, MA 02110". */
function addressOf(attorney: Attorney): string {
  const { addressLine1, addressLine2, addressCity, addressRegion, addressZip } = attorney;
  const regionAndZip = [addressRegion, addressZip].filter(Boolean).join(" ");
  const place = [addressCity, regionAndZip].filter(Boolean).join(", ");
  return [addressLine1, addressLine2, place].filter(Boolean).join("\n");
}
