import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { AddAttorneyDialog } from "#people/AddAttorneyDialog.tsx";
import { attorneysWords } from "#people/attorney-words.tsx";
import { attorneys } from "#panel/attorneys.list.ts";
import { AttorneyStatus } from "#people/AttorneyStatus.tsx";
import { ChargeDialog } from "#people/ChargeDialog.tsx";
import { listAttorneys, type PanelRow } from "#panel/contract.ts";
import type { AttorneyFilters, ChosenAttorneys } from "#panel/shapes.ts";
import { listPlans } from "#dues/plans/plans.list.ts";
import { UndoSubscribeAll } from "#dues/plans/UndoSubscribeAll.tsx";
import { type Bulk, type Chosen, useBulkActions } from "#kit/list/BulkActions.tsx";
import { ExportThese } from "#kit/list/ExportThese.tsx";
import { type CellsOf, ListScreen, useListed } from "#kit/list/ListScreen.tsx";
import { useAddDialog } from "#kit/web/add-dialog.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Button, ButtonLink } from "#kit/web/ui/Button.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { EmailLink, PhoneLink } from "#kit/web/ui/Details.tsx";
import { Muted, Row } from "#kit/web/ui/layout.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { InviteChosenDialog } from "./InviteChosenDialog.tsx";
import css from "./panel.module.css";
import { SubscribeChosenDialog } from "./SubscribeChosenDialog.tsx";
import { RemindDialog } from "./RemindDialog.tsx";

/** The panel: search, filters, and actions for many attorneys. */
export function AttorneysScreen() {
  const [isAdding, setAdding] = useAddDialog();
  const plans = useQuery(endpointQuery(listPlans));
  const listed = useListed(attorneys, listAttorneys);
  const bulk = useBulkActions(listed, bulkActions);
  const addActions = (
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
        bulk={bulk}
        options={{ plan_id: plans.data }}
        actions={
          !listed.isEmpty && (
            <Row>
              <Button pending={false} onClick={() => bulk.open("charge")}>
                Charge attorneys
              </Button>
              {addActions}
            </Row>
          )
        }
        hint="Search by name, email, phone or bar number."
        empty={
          <EmptyState title="No attorneys yet" action={addActions}>
            Add the first one, or import a list from a spreadsheet.
          </EmptyState>
        }
      />
      {isAdding && <AddAttorneyDialog onClose={() => setAdding(false)} />}
    </>
  );
}

type For = Chosen<PanelRow, AttorneyFilters>;

const chosenOf = ({ rows, matching }: For): ChosenAttorneys =>
  matching ? { filters: matching } : { attorney_ids: rows.map(({ id }) => id) };

const bulkActions: Bulk<PanelRow, AttorneyFilters, "enrol" | "charge" | "remind" | "invite"> = {
  nameOf: ({ name }) => name,
  choosesAll: true,
  actions: {
    enrol: {
      label: ({ count }) => `Subscribe ${attorneysWords(count)}`,
      dialog: (chosen, { onClose, onDone }) => (
        <SubscribeChosenDialog
          whom={chosenOf(chosen)}
          count={chosen.count}
          onClose={onClose}
          onDone={({ words, batch }) =>
            onDone(
              words,
              (say) =>
                batch && (
                  <div>
                    <UndoSubscribeAll
                      what="subscribing several"
                      batchId={batch.id}
                      planName={batch.planName}
                      onDone={say}
                    />
                  </div>
                ),
            )
          }
        />
      ),
    },
    charge: {
      label: ({ count }) => `Charge ${attorneysWords(count)}`,
      dialog: ({ rows, count, matching }, props) => (
        <ChargeDialog
          chosen={rows}
          {...(matching && { matching: { filters: matching, count } })}
          {...props}
        />
      ),
    },
    remind: {
      label: () => "Remind",
      dialog: (chosen, props) => <RemindDialog whom={chosenOf(chosen)} {...props} />,
    },
    invite: {
      label: () => "Invite",
      dialog: (chosen, props) => <InviteChosenDialog whom={chosenOf(chosen)} {...props} />,
    },
  },
  also: ({ rows, matching }) =>
    !matching && (
      <ExportThese
        reportType="attorneys"
        label="Export"
        filters={{ ids: rows.map(({ id }) => id).join(",") }}
      />
    ),
};

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
