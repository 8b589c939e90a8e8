import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { type Day, formatDay } from "#kit/domain/day.ts";
import { formatMoney } from "#kit/domain/money.ts";
import { type Attorney } from "#people/contract.ts";
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
import { type DeparturePreview, previewDeparture, recordDeparture } from "./contract.ts";

interface DepartureDialogProps {
  attorney: Attorney;
  onClose: () => void;
  /** Called with a sentence about the result. */
  onDone: (result: string) => void;
}

/** Shows what a departure changes and leaves as it is, in numbers, then records it. */
export function DepartureDialog({ attorney, onClose, onDone }: DepartureDialogProps) {
  const today = useToday();
  const form = useForm<{ left_on: Day | null; reason: string }, Attorney>({
    start: { left_on: today, reason: "" },
    labels: { left_on: "Left on" },
    send: async ({ left_on, reason }) => {
      const body = requestBody(recordDeparture, { left_on: left_on ?? "", reason });
      return await call(recordDeparture, { params: { id: attorney.id }, body });
    },
    onDone: ({ name }) => onDone(`${name} has left the panel.`),
  });
  const day = form.typed.left_on ?? today;
  const preview = useQuery({
    ...endpointQuery(previewDeparture, { params: { id: attorney.id }, body: { left_on: day } }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return (
    <Dialog title={`Record departure of ${attorney.name}`} onClose={onClose}>
      <Form form={form} label="Departure">
        <ActionPreview>
          {preview.error
            ? preview.error.message
            : preview.data && (
                <Stack gap={4}>
                  {consequences(preview.data, day).map((line) => (
                    <span key={line}>{line}</span>
                  ))}
                  <OpenReferrals attorney={attorney} preview={preview.data} />
                </Stack>
              )}
        </ActionPreview>
        <DayField required label="Left on" hint="Today or earlier" {...form.field("left_on")} />
        <TextArea label="Reason" hint="Optional. Kept in the history." {...form.field("reason")} />
        <DialogActions>
          <SubmitButton kind="danger" pending={form.pending}>
            Record departure
          </SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

/** What the departure changes and leaves as it is, one line each. */
function consequences(preview: DeparturePreview, day: Day): string[] {
  const { enrolments, billed, laterDebits, laterAmount, owed } = preview;
  const lines = [
    enrolments > 0
      ? `${counted(enrolments, "subscription")} ${enrolments === 1 ? "ends" : "end"} on ${formatDay(day)}; nothing is billed afterwards.`
      : "No active subscriptions end.",
    billed > 0 && `${formatMoney(billed)} was due by that date and is billed first.`,
    laterDebits > 0 &&
      `${counted(laterDebits, "debit")} due after that date, ${formatMoney(laterAmount)}, ${laterDebits === 1 ? "stays" : "stay"} owed. Adjust ${laterDebits === 1 ? "it" : "any"} that should not be.`,
    owed > 0
      ? `The ${formatMoney(owed)} owed now stays owed and can be paid by check.`
      : "Nothing is owed now.",
    "The account is closed and signed out everywhere.",
  ];
  return lines.filter((line) => line !== false);
}

function OpenReferrals({ attorney, preview }: { attorney: Attorney; preview: DeparturePreview }) {
  const { openReferrals, overdueReports } = preview;
  if (openReferrals === 0) return <span>No open referrals.</span>;
  const late = overdueReports > 0 && ` (${overdueReports} with a report overdue)`;
  const theirs: ReactNode = (
    <Link to={`/admin/matters?attorney=${attorney.id}&status=open`}>
      {counted(openReferrals, "open referral")}
    </Link>
  );
  return (
    <strong>
      {theirs}
      {late} {openReferrals === 1 ? "stays" : "stay"} with {attorney.name} unless you reassign{" "}
      {openReferrals === 1 ? "it" : "them"} first.
    </strong>
  );
}

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
