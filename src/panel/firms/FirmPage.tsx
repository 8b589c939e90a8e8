import { type ReactNode, useState } from "react";
import { call, requestBody } from "#kit/web/api.tsx";
import { changedFields } from "#kit/web/changed-fields.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { RecordScreen } from "#kit/web/RecordScreen.tsx";
import { Button, ButtonLink } from "#kit/web/ui/Button.tsx";
import { Detail, Details, EmailLink } from "#kit/web/ui/Details.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Row, Section } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import { changeFirm, type Firm, showFirm } from "./contract.ts";
import { FirmForm } from "./FirmForm.tsx";
import { FirmAttorneys } from "./FirmAttorneys.tsx";

export function FirmPage({ checks }: { checks: (firmId: number) => ReactNode }) {
  return (
    <RecordScreen name="firm" query={(id) => endpointQuery(showFirm, { params: { id } })}>
      {(firm) => <FirmRecord firm={firm} checks={checks} />}
    </RecordScreen>
  );
}

/** A firm with its lawyers' balances and credit, and its checks. */
function FirmRecord({ firm, checks }: { firm: Firm; checks: (firmId: number) => ReactNode }) {
  const [isEditing, setEditing] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  return (
    <>
      <PageHeading
        title={firm.name}
        actions={
          <Row>
            <Button pending={false} onClick={() => setEditing(true)}>
              Edit
            </Button>
            <ButtonLink kind="primary" to={`/admin/checks/new?firm_id=${firm.id}`}>
              Record a check
            </ButtonLink>
          </Row>
        }
      />
      <Notice>{done}</Notice>
      <Details>
        <Detail name="Owed">
          <Money amount={firm.balance} />
        </Detail>
        <Detail name="Credit">
          <Money amount={firm.credit} />
        </Detail>
        <Detail name="Billing email">
          {firm.billingEmail && <EmailLink email={firm.billingEmail} />}
        </Detail>
      </Details>
      <Section title="Attorneys">
        <FirmAttorneys firm={firm} onDone={setDone} />
      </Section>
      <Section title="Checks">{checks(firm.id)}</Section>
      {isEditing && (
        <EditFirmDialog
          firm={firm}
          onClose={() => setEditing(false)}
          onDone={() => {
            setEditing(false);
            setDone("Firm saved.");
          }}
        />
      )}
    </>
  );
}

function EditFirmDialog(props: { firm: Firm; onClose: () => void; onDone: () => void }) {
  const { onClose, onDone } = props;
  const [firm] = useState(props.firm); // keeps the values from when the dialog opened
  const start = { name: firm.name, billing_email: firm.billingEmail };
  return (
    <Dialog title={`Edit ${firm.name}`} onClose={onClose}>
      <FirmForm
        start={start}
        action="Save firm"
        send={async (typed) => {
          const body = requestBody(changeFirm, changedFields(start, typed));
          if (Object.keys(body).length === 0) return;
          await call(changeFirm, { params: { id: firm.id }, body });
        }}
        onDone={onDone}
      />
    </Dialog>
  );
}
