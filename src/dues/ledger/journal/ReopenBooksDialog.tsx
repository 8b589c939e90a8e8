import { type Day, formatDay } from "#kit/domain/day.ts";
import { call, requestBody } from "#kit/web/api.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { DayField } from "#kit/web/ui/DayField.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { TextArea } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { type Books, reopenBooks } from "./contract.ts";

interface ReopenBooksDialogProps {
  closedThrough: Day;
  history: Books["history"];
  onClose: () => void;
  onDone: (result: string) => void;
}

/** Reopens closed days, by default those of the last closing. */
export function ReopenBooksDialog(props: ReopenBooksDialogProps) {
  const { closedThrough, history, onClose, onDone } = props;
  const earlier = history.flatMap(({ through }) =>
    through !== null && through < closedThrough ? [through] : [],
  );
  const form = useForm<{ after: Day | null; reason: string }, Books>({
    start: { after: earlier[0] ?? null, reason: "" },
    labels: { after: "Stay closed through" },
    send: async (typed) => await call(reopenBooks, { body: requestBody(reopenBooks, typed) }),
    onDone: (books) =>
      onDone(
        books.closedThrough === null
          ? "The books are open."
          : `The books are closed through ${formatDay(books.closedThrough)}; later days are open.`,
      ),
  });
  const { after } = form.typed;
  return (
    <Dialog title="Reopen the books" onClose={onClose}>
      <Form form={form} label="Reopening">
        <ActionPreview>
          {after === null
            ? `This reopens all days through ${formatDay(closedThrough)}.`
            : `This reopens the days after ${formatDay(after)} through ${formatDay(closedThrough)}.`}{" "}
          Entries can be added to them. A journal that you exported for these days may no longer
          agree.
        </ActionPreview>
        <DayField
          label="Stay closed through"
          hint="Leave blank to reopen all days"
          {...form.field("after")}
        />
        <TextArea label="Reason" hint="Shown in Activity" {...form.field("reason")} />
        <DialogActions>
          <SubmitButton pending={form.pending}>Reopen the books</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
