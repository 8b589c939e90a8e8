import { Link } from "react-router";
import { type CellsOf, ListScreen, useListed } from "#kit/list/ListScreen.tsx";
import { ButtonLink } from "#kit/web/ui/Button.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { EmailLink, PhoneLink } from "#kit/web/ui/Details.tsx";
import { Muted, Row, Stack } from "#kit/web/ui/layout.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { type Matter } from "./contract.ts";
import css from "./matters.module.css";
import { listMatters, matters } from "./matters.list.ts";
import { MatterStatus } from "./MatterStatus.tsx";
import { ReportDue } from "./ReportDue.tsx";

const addActions = (
  <Row>
    <ButtonLink to="/admin/matters/import">Import referrals</ButtonLink>
    <ButtonLink kind="primary" to="/admin/matters/new">
      Record a referral
    </ButtonLink>
  </Row>
);

/** The network's referrals, searched by the client's name, phone or email, by status and attorney. */
export function MattersScreen() {
  const listed = useListed(matters, listMatters);
  return (
    <ListScreen
      listed={listed}
      actions={!listed.isEmpty && addActions}
      cells={cells}
      hint="Searches names, email addresses, phone numbers and cities for every word."
      empty={
        <EmptyState title="No referrals yet" action={addActions}>
          Record the first one here, or import a list from a spreadsheet.
        </EmptyState>
      }
    />
  );
}

const cells: CellsOf<typeof matters, Matter> = {
  last_name: ({ id, name }) => <Link to={`/admin/matters/${id}`}>{name}</Link>,
  phone: (matter) => <Contact of={matter} />,
  status: ({ status }) => <MatterStatus status={status} />,
  attorney_name: (matter) => <AttorneyName of={matter} />,
  referred_on: (matter) => <ReferredOn matter={matter} />,
  report_due_on: ({ reportDueOn }) => <ReportDue on={reportDueOn} />,
};

/** Side by side where there is room, else stacked. */
function Contact({ of: { phone, email } }: { of: Matter }) {
  if (!phone && !email) return <Muted>Not provided</Muted>;
  const missing = <span className={css["missing"]}>Not provided</span>;
  return (
    <span className={css["contact"]}>
      <span>{phone ? <PhoneLink phone={phone} /> : missing}</span>
      <span className={css["email"]}>{email ? <EmailLink email={email} /> : missing}</span>
    </span>
  );
}

function AttorneyName({ of: { attorneyId, attorneyName, status } }: { of: Matter }) {
  if (attorneyId === null) return <Muted>{status === "new" ? "None yet" : "None"}</Muted>;
  return (
    <span className={css["attorney"]}>
      <Link to={`/admin/attorneys/${attorneyId}`}>{attorneyName}</Link>
    </span>
  );
}

function ReferredOn({ matter: { referredAt, submittedAt, status } }: { matter: Matter }) {
  if (referredAt !== null) return <DayText on={referredAt} />;
  return (
    <Stack gap={4}>
      <span>{status === "new" ? "Not yet" : "Never"}</span>
      <Muted small>
        requested <DayText on={submittedAt} />
      </Muted>
    </Stack>
  );
}
