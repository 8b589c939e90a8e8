import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "react-router";
import { call, requestBody } from "#kit/web/api.tsx";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { changedFields } from "#kit/web/changed-fields.tsx";
import { NotFound } from "#kit/web/NotFound.tsx";
import { endpointQuery, expectsNotFound } from "#kit/web/queries.tsx";
import { Button, ButtonLink } from "#kit/web/ui/Button.tsx";
import { Detail, Details, EmailLink } from "#kit/web/ui/Details.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Row, Section } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { ErrorState, Loading, Notice } from "#kit/web/ui/states.tsx";
import { changeFirm, type Firm, showFirm } from "./contract.ts";
import { FirmChecks } from "#payments/checks/FirmChecks.tsx";
import { FirmForm } from "./FirmForm.tsx";
import { FirmLawyers } from "./FirmLawyers.tsx";

export function FirmScreen() {
  const { id = "" } = useParams();
  if (!/^[1-9]\d{0,14}$/.test(id)) return <NotFound />;
  return <FirmPage key={id} id={Number(id)} />;
}

function FirmPage({ id }: { id: number }) {
  const firm = useQuery({ ...endpointQuery(showFirm, { params: { id } }), ...expectsNotFound });
  if (firm.data) return <FirmRecord firm={firm.data} />;
  if (firm.error instanceof CallFailure && firm.error.status === 404) return <NotFound />;
  return (
    <>
      <PageHeading title="Firm" />
      {firm.error ? (
        <ErrorState
          title="The firm could not be loaded"
          error={firm.error}
          pending={firm.isFetching}
          onRetry={() => void firm.refetch()}
        />
      ) : (
        <Loading />
      )}
    </>
  );
}

/** A firm: what its lawyers owe and hold in credit, and its checks. */
function FirmRecord({ firm }: { firm: Firm }) {
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
      <Section title="Lawyers">
        <FirmLawyers firm={firm} onDone={setDone} />
      </Section>
      <Section title="Checks">
        <FirmChecks firmId={firm.id} />
      </Section>
      {isEditing && (
        <EditFirmDialog
          firm={firm}
          onClose={() => setEditing(false)}
          onDone={() => {
            setEditing(false);
            setDone("The firm is saved.");
          }}
        />
      )}
    </>
  );
}

function EditFirmDialog(props: { firm: Firm; onClose: () => void; onDone: () => void }) {
  const { onClose, onDone } = props;
  const [firm] = useState(props.firm); // as it was when the dialog opened
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
