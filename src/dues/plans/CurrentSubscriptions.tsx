import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { formatDay } from "#kit/domain/day.ts";
import { call } from "#kit/web/api.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Row, Stack } from "#kit/web/ui/layout.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import { type Instance, unsubscribe } from "./contract.ts";
import { NameAndNote } from "#kit/web/ui/NameAndNote.tsx";
import { PaymentSchedule } from "./PaymentSchedule.tsx";
import { UpcomingDialog } from "./UpcomingDialog.tsx";

interface CurrentSubscriptionsProps {
  enrolments: readonly Instance[];
}

export function CurrentSubscriptions({ enrolments }: CurrentSubscriptionsProps) {
  const [upcoming, setUpcoming] = useState<Instance | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const columns: Column<Instance>[] = [
    {
      heading: "Subscription & Note",
      cell: ({ name, note }) => <NameAndNote name={name} note={note} />,
    },
    {
      heading: "Amount Owed",
      amount: true,
      cell: (enrolment) => <PaymentSchedule of={enrolment} />,
    },
    {
      heading: "Start Date",
      nowrap: true,
      cell: (enrolment) => <StartDate enrolment={enrolment} />,
    },
    {
      heading: "Actions",
      actions: true,
      cell: (enrolment) => (
        <Row>
          <Button
            small
            kind="quiet"
            pending={false}
            label={`Upcoming dues of ${titleOf(enrolment)}`}
            onClick={() => setUpcoming(enrolment)}
          >
            Upcoming dues
          </Button>
          <UnsubscribeButton
            enrolment={enrolment}
            onDone={async () => {
              setDone(`Unsubscribed from ${enrolment.name}.`);
            }}
          />
        </Row>
      ),
    },
  ];
  return (
    <>
      <Notice>{done}</Notice>
      <DataTable
        caption="Current Subscriptions"
        captionHidden
        columns={columns}
        rows={enrolments}
        keyOf={(enrolment) => enrolment.id}
        empty={<EmptyState title="You do not have any subscriptions" />}
      />
      {upcoming && <UpcomingDialog enrolment={upcoming} onClose={() => setUpcoming(null)} />}
    </>
  );
}

/** The name and note that distinguish an enrolment from others in the same plan. */
function titleOf(enrolment: Instance): string {
  return `${enrolment.name}, start date ${formatDay(enrolment.startDate)}`;
}

function StartDate({ enrolment }: { enrolment: Instance }) {
  const { startDate, nextBillingDate } = enrolment;
  return (
    <Stack gap={4}>
      <DayText on={startDate} />
      {nextBillingDate && (
        <Muted small>
          next due <DayText on={nextBillingDate} />
        </Muted>
      )}
    </Stack>
  );
}

function UnsubscribeButton(props: { enrolment: Instance; onDone: () => Promise<void> }) {
  const { enrolment, onDone } = props;
  const ending = useMutation({
    mutationFn: () => call(unsubscribe, { params: { id: enrolment.id }, body: { archived: true } }),
    onSuccess: onDone,
  });
  const question = `Unsubscribe from ${titleOf(enrolment)}? This cannot be undone. Nothing more is billed, and any balance stays owed.`;
  return (
    <Button
      small
      kind="danger"
      pending={ending.isPending}
      label={`Unsubscribe from ${titleOf(enrolment)}`}
      onClick={() => {
        if (window.confirm(question)) ending.mutate();
      }}
    >
      Unsubscribe
    </Button>
  );
}
