import { useMutation, useQuery } from "@tanstack/react-query";
import { bodyOf, call } from "#web/api.tsx";
import { asking, refetch } from "#web/queries.tsx";
import { Button, SubmitButton } from "#web/ui/Button.tsx";
import { RadioField, SelectField } from "#web/ui/ChoiceField.tsx";
import { DataTable } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Form } from "#web/ui/Form.tsx";
import { Muted, SideBySide, Stack } from "#web/ui/layout.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { useForm } from "#web/ui/use-form.tsx";
import {
  type ExportSchedule,
  listSchedules,
  type ReportType,
  removeSchedule,
  scheduleExport,
  showExportOptions,
} from "./contract.ts";
import { choicesToStartWith } from "./report-choices.tsx";

/** Reports that are ready when the bookkeeper comes in, every week or every month. */
export function Schedules() {
  const options = useQuery(asking(showExportOptions));
  const types = options.data?.reportTypes;
  return (
    <SideBySide>
      <div>{types?.[0] && <ScheduleForm types={types} first={types[0].value} />}</div>
      <ScheduleList />
    </SideBySide>
  );
}

function ScheduleForm({ types, first }: { types: ReportType[]; first: string }) {
  const form = useForm({
    start: everyMonth(first),
    send: (typed) => {
      const type = types.find(({ value }) => value === typed.report_type);
      // The columns as last chosen in the dialog on this browser; all of them at first.
      const columns = type ? choicesToStartWith(type, "").columns : [];
      return call(scheduleExport, { body: bodyOf(scheduleExport, { ...typed, columns }) });
    },
    onDone: () => void refetch(listSchedules),
  });
  return (
    <Form form={form} label="Schedule a report">
      <SelectField
        label="Report"
        options={types.map(({ value, label }) => ({ value, label }))}
        {...form.field("report_type")}
      />
      <RadioField
        label="How often"
        options={[
          { value: "weekly", label: "Every week", hint: "On Monday, for the week before" },
          { value: "monthly", label: "Every month", hint: "On the 1st, for the month before" },
        ]}
        {...form.field("frequency")}
      />
      <div>
        <SubmitButton kind="secondary" pending={form.pending}>
          Schedule report
        </SubmitButton>
      </div>
    </Form>
  );
}

function everyMonth(reportType: string): { report_type: string; frequency: "weekly" | "monthly" } {
  return { report_type: reportType, frequency: "monthly" };
}

function ScheduleList() {
  const list = useQuery(asking(listSchedules));
  return (
    <DataTable
      caption="Scheduled reports"
      captionHidden
      columns={[
        { heading: "Report", cell: (schedule) => <What schedule={schedule} /> },
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
          A scheduled report is prepared at night and waits in the list above.
        </EmptyState>
      }
      pending={list.isFetching}
      error={list.error}
      onRetry={() => void list.refetch()}
    />
  );
}

function What({ schedule }: { schedule: ExportSchedule }) {
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
    onSettled: () => refetch(listSchedules),
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
