import { useState } from "react";
import { Link } from "react-router";
import { endpointQuery } from "#kit/web/queries.tsx";
import { RecordScreen } from "#kit/web/RecordScreen.tsx";
import { DayText, TimeText } from "#kit/web/ui/DayText.tsx";
import { Detail, Details } from "#kit/web/ui/Details.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { Muted, Row, Section } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import { ArchivePlanButton } from "./ArchivePlanButton.tsx";
import { type Batch, type PlanRecord, showPlan } from "./contract.ts";
import { PlanEnrolments } from "./PlanEnrolments.tsx";
import { type Done, DoneNotice } from "./DoneNotice.tsx";
import { SubscribeAllButton } from "./SubscribeAllButton.tsx";
import { UndoSubscribeAll } from "./UndoSubscribeAll.tsx";

export function PlanScreen() {
  return (
    <RecordScreen name="subscription" query={(id) => endpointQuery(showPlan, { params: { id } })}>
      {(plan) => <PlanSections plan={plan} />}
    </RecordScreen>
  );
}

/** A plan: its terms, totals, enrolments, and each Subscribe all. */
function PlanSections({ plan }: { plan: PlanRecord }) {
  const [done, setDone] = useState<Done | null>(null);
  return (
    <>
      <PageHeading
        title={plan.name}
        about={<Terms plan={plan} />}
        actions={
          !plan.archived && (
            <Row>
              <SubscribeAllButton plan={plan} onDone={setDone} />
              <ArchivePlanButton plan={plan} onDone={(words) => setDone({ words })} />
            </Row>
          )
        }
      />
      <DoneNotice done={done} onDone={setDone} />
      {plan.description && <p>{plan.description}</p>}
      <Totals plan={plan} />
      {plan.batches.length > 0 && (
        <Section title="Subscribe all, history">
          <Batches plan={plan} onDone={(words) => setDone({ words })} />
        </Section>
      )}
      <Section title="Attorneys">
        <PlanEnrolments plan={plan} />
      </Section>
      <p className="actions">
        <Link to={`/admin/activity?type=plan&record=${plan.id}`}>All changes</Link>
      </p>
    </>
  );
}

function Terms({ plan }: { plan: PlanRecord }) {
  return (
    <Row gap={16}>
      {plan.archived ? (
        <StatusMark tone="quiet">Archived</StatusMark>
      ) : (
        <StatusMark tone="good">Active</StatusMark>
      )}
      <span>{plan.paymentSchedule}</span>
      <Muted>
        Created <DayText on={plan.createdAt} />
      </Muted>
    </Row>
  );
}

/** The plan's totals since it was created: billed and adjusted less collected is owed. */
function Totals({ plan }: { plan: PlanRecord }) {
  return (
    <Details>
      <Detail name="Enrolled now">{plan.enrolledCount.toLocaleString("en-US")}</Detail>
      <Detail name="Billed">
        <Money amount={plan.billed} />
      </Detail>
      {plan.adjusted !== 0 && (
        <Detail name="Adjusted">
          <Money amount={plan.adjusted} />
        </Detail>
      )}
      <Detail name="Collected">
        <Money amount={plan.collected} />
      </Detail>
      <Detail name="Owed">
        <Money amount={plan.owed} />
      </Detail>
      {plan.pending !== 0 && (
        <Detail name="Pending">
          <Money amount={plan.pending} />
        </Detail>
      )}
    </Details>
  );
}

function Batches({ plan, onDone }: { plan: PlanRecord; onDone: (result: string) => void }) {
  const columns: Column<Batch>[] = [
    { heading: "When", cell: ({ createdAt }) => <TimeText at={createdAt} /> },
    { heading: "Who", cell: ({ createdBy }) => createdBy ?? <Muted>Deleted user</Muted> },
    { heading: "Attorneys", cell: ({ ofAll }) => (ofAll ? "All" : "Chosen") },
    {
      heading: "Subscribed",
      amount: true,
      cell: ({ enrolments }) => enrolments.toLocaleString("en-US"),
    },
    { heading: "Undo", cell: (batch) => <UndoState batch={batch} plan={plan} onDone={onDone} /> },
  ];
  return (
    <DataTable
      caption="Subscribe all, history"
      captionHidden
      columns={columns}
      rows={plan.batches}
      keyOf={(batch) => batch.id}
      empty={<EmptyState title="Subscribe all was not used" />}
      pending={false}
      error={null}
      onRetry={() => undefined}
    />
  );
}

function UndoState({
  batch,
  plan,
  onDone,
}: {
  batch: Batch;
  plan: PlanRecord;
  onDone: (result: string) => void;
}) {
  if (batch.undoneAt)
    return (
      <Row>
        <StatusMark tone="quiet">Undone</StatusMark>
        <Muted small>
          <TimeText at={batch.undoneAt} />
        </Muted>
      </Row>
    );
  if (!batch.undoableUntil) return <Muted>No longer possible after 24 hours</Muted>;
  return (
    <Row>
      <UndoSubscribeAll
        small
        what={batch.ofAll ? "Subscribe all" : "subscribing several"}
        batchId={batch.id}
        planName={plan.name}
        onDone={onDone}
      />
      <Muted small>
        until <TimeText at={batch.undoableUntil} />
      </Muted>
    </Row>
  );
}
