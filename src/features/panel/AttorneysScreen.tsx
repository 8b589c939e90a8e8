import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { AddAttorneyDialog } from "#features/attorneys/AddAttorneyDialog.tsx";
import { attorneys } from "#features/attorneys/attorneys.list.ts";
import { AttorneyStatus } from "#features/attorneys/AttorneyStatus.tsx";
import { listAttorneys, type PanelRow } from "#features/attorneys/contract.ts";
import { listPlans } from "#features/subscriptions/plans.list.ts";
import { type CellsOf, ListScreen, useListed } from "#list/ListScreen.tsx";
import { useAddDialog } from "#web/add-dialog.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { Button, ButtonLink } from "#web/ui/Button.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { EmailLink, PhoneLink } from "#web/ui/Details.tsx";
import { Muted, Row } from "#web/ui/layout.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { type Action, ChosenActions } from "./ChosenActions.tsx";
import css from "./panel.module.css";
import { useChosenAttorneys } from "./use-chosen-attorneys.tsx";

/** The panel: found by name, email, phone or bar number, and filtered; much can be done for many at once. */
export function AttorneysScreen() {
  const [isAdding, setAdding] = useAddDialog();
  const [action, setAction] = useState<Action | null>(null);
  const plans = useQuery(endpointQuery(listPlans));
  const listed = useListed(attorneys, listAttorneys);
  const chosen = useChosenAttorneys(listed.rows.data, listed.filters.query);
  const waysIn = (
    <Row>
      <ButtonLink to="/admin/attorneys/import">Import attorneys</ButtonLink>
      <Button kind="primary" pending={false} onClick={() => setAdding(true)}>
        Add an attorney
      </Button>
    </Row>
  );
  return (
    <>
      <ListScreen
        listed={listed}
        cells={cells}
        ticks={chosen.ticks}
        options={{ plan_id: plans.data }}
        actions={
          !listed.isEmpty && (
            <Row>
              <Button pending={false} onClick={() => setAction("charge")}>
                Charge attorneys
              </Button>
              {waysIn}
            </Row>
          )
        }
        hint="The search looks for every word in names, email addresses, phone and bar numbers."
        empty={
          <EmptyState title="No attorneys yet" action={waysIn}>
            Add the first one here, or import a whole list from a spreadsheet.
          </EmptyState>
        }
      />
      <ChosenActions chosen={chosen} action={action} onAction={setAction} />
      {isAdding && <AddAttorneyDialog onClose={() => setAdding(false)} />}
    </>
  );
}

const cells: CellsOf<typeof attorneys, PanelRow> = {
  name: ({ id, name }) => <Link to={`/admin/attorneys/${id}`}>{name}</Link>,
  email: ({ email }) => (
    <span className={css["email"]}>
      <EmailLink email={email} />
    </span>
  ),
  phone: ({ phone }) => (phone ? <PhoneLink phone={phone} /> : <Muted>Not provided</Muted>),
  firm: ({ firm }) => firm && <Link to={`/admin/firms/${firm.id}`}>{firm.name}</Link>,
  status: (attorney) => <AttorneyStatus attorney={attorney} />,
  last_signed_in_on: ({ lastSignedInAt }) =>
    lastSignedInAt ? <DayText on={lastSignedInAt} /> : <Muted>Never</Muted>,
};
