import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { type Day, daysAfter, formatDay } from "#kit/domain/day.ts";
import { call, requestBody } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { DayField } from "#kit/web/ui/DayField.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { TextArea } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { type Books, closeBooks, type OpenItems, previewClosing } from "./contract.ts";

interface CloseBooksDialogProps {
  closedThrough: Day | null;
  onClose: () => void;
  onDone: (result: string) => void;
}

/** Shows what is still open through the chosen day, and closes the books. */
export function CloseBooksDialog({ closedThrough, onClose, onDone }: CloseBooksDialogProps) {
  const today = useToday();
  const lastMonth = daysAfter(`${today.slice(0, 7)}-01`, -1);
  const suggested =
    closedThrough === null || closedThrough < lastMonth ? lastMonth : daysAfter(today, -1);
  const form = useForm<{ through: Day | null; note: string }, Books>({
    start: { through: suggested, note: "" },
    labels: { through: "Close the books through" },
    send: async ({ through, note }) => {
      const body = requestBody(closeBooks, { through: through ?? "", note });
      return await call(closeBooks, { body });
    },
    onDone: (books) =>
      onDone(`The books are closed through ${formatDay(books.closedThrough ?? through)}.`),
  });
  const through = form.typed.through ?? suggested;
  const open = useQuery({
    ...endpointQuery(previewClosing, { query: { through } }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return (
    <Dialog title="Close the books" onClose={onClose}>
      <Form form={form} label="Closing">
        <ActionPreview>
          {open.error
            ? open.error.message
            : open.data && <StillOpen items={open.data} through={through} />}
        </ActionPreview>
        <DayField
          required
          label="Close the books through"
          hint="A date before today"
          {...form.field("through")}
        />
        <TextArea label="Note" hint="Optional. Kept in the history." {...form.field("note")} />
        <DialogActions>
          <SubmitButton pending={form.pending}>
            {`Close through ${formatDay(through)}`}
          </SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

function StillOpen({ items, through }: { items: OpenItems; through: Day }) {
  const { pendingChecks, processingCards, openDeposits } = items;
  const lines = [
    {
      count: pendingChecks,
      words: pendingChecks === 1 ? "check is pending" : "checks are pending",
      to: `/admin/checks?status=pending&to=${through}`,
    },
    {
      count: processingCards,
      words: `card ${processingCards === 1 ? "payment is" : "payments are"} being confirmed`,
      to: `/admin/payments?status=processing&to=${through}`,
    },
    {
      count: openDeposits,
      words: openDeposits === 1 ? "deposit is not banked" : "deposits are not banked",
      to: `/admin/deposits?status=open&to=${through}`,
    },
  ].filter(({ count }) => count > 0);
  const day = formatDay(through);
  return (
    <Stack gap={4}>
      <span>
        {lines.length > 0 ? `Still open through ${day}:` : `Nothing is open through ${day}.`}
      </span>
      {lines.map(({ count, words, to }) => (
        <Link key={to} to={to}>{`${count.toLocaleString("en-US")} ${words}`}</Link>
      ))}
      <span>
        Nothing can be entered for closed days. Anything found or decided later is entered on the
        day it happens.
      </span>
    </Stack>
  );
}
