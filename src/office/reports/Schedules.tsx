import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Section, Stack } from "#kit/web/ui/layout.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import {
  type ExportSchedule,
  listSchedules,
  removeSchedule,
  showExportOptions,
} from "#kit/list/reports-contract.ts";
import { ScheduleDialog } from "./ScheduleDialog.tsx";

/** Exports prepared at night, every week or every month. */
export function Schedules() {
  const options = useQuery(endpointQuery(showExportOptions));
  const [isOpen, setOpen] = useState(false);
  const types = options.data?.reportTypes;
  return (
    <Section
      title="Scheduled reports"
      actions={
        types?.[0] && (
          <Button pending={false} onClick={() => setOpen(true)}>
            Schedule a report
          </Button>
        )
      }
    >
      <ScheduleList />
      {isOpen && types?.[0] && (
        <ScheduleDialog
          types={types}
          first={types[0]}
          attorneys={options.data?.attorneys ?? {}}
          onClose={() => setOpen(false)}
        />
      )}
    </Section>
  );
}

function ScheduleList() {
  const list = useQuery(endpointQuery(listSchedules));
  return (
    <DataTable
      caption="Scheduled reports"
      captionHidden
      columns={[
        { heading: "Report", cell: (schedule) => <ScheduleName schedule={schedule} /> },
        {
          heading: "How often",
          cell: ({ frequency }) => (frequency === "weekly" ? "Every week" : "Every month"),
        },
        { heading: "Next", cell: ({ nextOn }) => <DayText on={nextOn} /> },
        {
          heading: "Actions",
          actions: true,
          cell: (schedule) => <RemoveButton schedule={schedule} />,
        },
      ]}
      rows={list.data}
      keyOf={(schedule) => schedule.id}
      empty={
        <EmptyState title="Nothing is scheduled">
          A scheduled report is prepared at night and appears in the list above.
        </EmptyState>
      }
      pending={list.isFetching}
      error={list.error}
      onRetry={() => void list.refetch()}
    />
  );
}

function ScheduleName({ schedule }: { schedule: ExportSchedule }) {
  return (
    <Stack gap={4}>
      <span>{schedule.label}</span>
      <Muted small>{schedule.scope}</Muted>
    </Stack>
  );
}

function RemoveButton({ schedule }: { schedule: ExportSchedule }) {
  const removing = useMutation({
    mutationFn: () => call(removeSchedule, { params: { id: schedule.id } }),
  });
  return (
    <Button
      small
      kind="danger"
      pending={removing.isPending}
      label={`Remove ${schedule.label}, every ${schedule.frequency === "weekly" ? "week" : "month"}`}
      onClick={() => removing.mutate()}
    >
      Remove
    </Button>
  );
}
