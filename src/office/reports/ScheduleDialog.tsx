import { requestBody, call } from "#kit/web/api.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { RadioField, SelectField } from "#kit/web/ui/ChoiceField.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { AttorneyFilter } from "./AttorneyFilter.tsx";
import { ColumnChoice } from "./ColumnChoice.tsx";
import { type ExportOptions, type ExportType, scheduleExport } from "#kit/list/reports-contract.ts";
import { EventTypes } from "./EventTypes.tsx";
import css from "./exports.module.css";
import { defaultChoices, contentsOf } from "./dialog-choices.tsx";

interface ScheduleDialogProps {
  types: ExportType[];
  first: ExportType;
  attorneys: ExportOptions["attorneys"];
  onClose: () => void;
}

/** Choose a recurring export. It has no dates: each run covers the previous period. */
export function ScheduleDialog({ types, first, attorneys, onClose }: ScheduleDialogProps) {
  const form = useForm({
    start: { ...everyMonth, ...choicesOf(first) },
    send: (typed) => {
      const { frequency } = typed;
      const body = requestBody(scheduleExport, { frequency, ...contentsOf(typeOf(typed), typed) });
      return call(scheduleExport, { body });
    },
    onDone: onClose,
  });
  const typeOf = ({ report_type }: { report_type: string }) =>
    types.find(({ value }) => value === report_type) ?? first;
  const type = typeOf(form.typed);
  const covers = (period: string) =>
    type.timeFilterPermissions === "none" ? "" : `, for the previous ${period}`;
  return (
    <Dialog title="Schedule a report" onClose={onClose} wide>
      <div className={css["choices"]}>
        <Form form={form} label="Schedule a report">
          <SelectField
            label="Report"
            options={types.map(({ value, label }) => ({ value, label }))}
            {...form.field("report_type")}
            onChange={(report_type) => form.set(choicesOf(typeOf({ report_type })))}
          />
          <RadioField
            label="How often"
            options={[
              { value: "weekly", label: "Every week", hint: `On Monday${covers("week")}` },
              { value: "monthly", label: "Every month", hint: `On the 1st${covers("month")}` },
            ]}
            {...form.field("frequency")}
          />
          <EventTypes modes={type.timeFilterModes} {...form.field("time_filter_mode")} />
          {type.filters.includes("attorneys") && (
            <AttorneyFilter attorneys={attorneys} {...form.field("attorney_id")} />
          )}
          <ColumnChoice columns={type.columns} {...form.field("columns")} />
          <div className={css["send"]}>
            <SubmitButton pending={form.pending}>Schedule report</SubmitButton>
          </div>
        </Form>
      </div>
    </Dialog>
  );
}

const everyMonth: { frequency: "weekly" | "monthly" } = { frequency: "monthly" };

function choicesOf(type: ExportType) {
  const { time_filter_mode, attorney_id, columns } = defaultChoices(type, "");
  return { report_type: type.value, time_filter_mode, attorney_id, columns };
}
