import { today as todayIn } from "#domain/calendar.ts";
import { bodyOf, call } from "#web/api.tsx";
import { useSession } from "#web/session.tsx";
import { Button, SubmitButton } from "#web/ui/Button.tsx";
import { Dialog } from "#web/ui/Dialog.tsx";
import { Form } from "#web/ui/Form.tsx";
import { useForm } from "#web/ui/use-form.tsx";
import { AttorneyFilter } from "./AttorneyFilter.tsx";
import { ColumnChoice } from "./ColumnChoice.tsx";
import { type ExportOptions, type ReportType, requestExport } from "./contract.ts";
import { DateRange } from "./DateRange.tsx";
import { EventTypes } from "./EventTypes.tsx";
import css from "./exports.module.css";
import { choicesToStartWith, lastChoices, remember, requestOf } from "./dialog-choices.tsx";

interface ReportDialogProps {
  type: ReportType;
  attorneys: ExportOptions["attorneys"];
  onClose: () => void;
  /** Is told the server's message. */
  onDone: (message: string) => void;
}

/** Choose what stands in a report, and order it. Source: spec §2 Reports, §4. */
export function ReportDialog({ type, attorneys, onClose, onDone }: ReportDialogProps) {
  const today = todayIn(useSession().timeZone).toString();
  const last = lastChoices(type, attorneys);
  const form = useForm({
    start: choicesToStartWith(type, today),
    send: async (choices) => {
      const made = await call(requestExport, {
        body: bodyOf(requestExport, requestOf(type, choices)),
      });
      remember(type.value, choices);
      return made;
    },
    onDone: ({ message }) => onDone(message),
  });
  return (
    <Dialog title={`Create custom report: ${type.label}`} onClose={onClose} wide>
      <div className={css["choices"]}>
        <Form form={form} label={`Create custom report: ${type.label}`}>
          {last && (
            <div>
              <Button small pending={false} onClick={() => form.set(last)}>
                Use last time's choices
              </Button>
            </div>
          )}
          <EventTypes modes={type.timeFilterModes} {...form.field("time_filter_mode")} />
          <DateRange
            permission={type.timeFilterPermissions}
            mode={form.field("range_mode")}
            start={form.field("start_date")}
            end={form.field("end_date")}
          />
          {type.filters.includes("attorneys") && (
            <AttorneyFilter attorneys={attorneys} {...form.field("attorney_id")} />
          )}
          <ColumnChoice columns={type.columns} {...form.field("columns")} />
          <div className={css["send"]}>
            <SubmitButton pending={form.pending} disabled={form.pending}>
              Create Report
            </SubmitButton>
          </div>
        </Form>
      </div>
    </Dialog>
  );
}
