import { today as todayIn } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";
import { requestBody, call } from "#kit/web/api.tsx";
import { useSession } from "#kit/web/session.tsx";
import { Button, SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { AttorneyFilter } from "./AttorneyFilter.tsx";
import { ColumnChoice } from "./ColumnChoice.tsx";
import { type ExportOptions, type ExportType, requestExport } from "#kit/list/reports-contract.ts";
import { DateRange } from "./DateRange.tsx";
import { EventTypes } from "./EventTypes.tsx";
import css from "./exports.module.css";
import {
  defaultChoices,
  exportRequest,
  lastChoices,
  saveChoices,
  sinceLastMade,
} from "./dialog-choices.tsx";

interface ExportDialogProps {
  type: ExportType;
  attorneys: ExportOptions["attorneys"];
  /** Opens for this day, to show the same as another screen. */
  day?: Day | undefined;
  onClose: () => void;
  /** Called with the server's message. */
  onDone: (message: string) => void;
}

/** Choose the contents of an export and request it. Source: spec §2 Reports, §4. */
export function ExportDialog(props: ExportDialogProps) {
  const { type, attorneys, day, onClose, onDone } = props;
  const { timeZone } = useSession();
  const today = todayIn(timeZone).toString();
  const last = lastChoices(type, attorneys);
  const form = useForm({
    start: defaultChoices(type, day ?? today),
    send: async (choices) => {
      const requested = await call(requestExport, {
        body: requestBody(requestExport, exportRequest(type, choices)),
      });
      saveChoices(type.value, choices);
      return requested;
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
            today={today}
            sinceLast={sinceLastMade(type, form.field("time_filter_mode").value, timeZone)}
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
