import { useMutation } from "@tanstack/react-query";
import type { Day } from "#kit/domain/day.ts";
import { formatMoney, sum } from "#kit/domain/money.ts";
import { call } from "#kit/web/api.tsx";
import { useToday } from "#kit/web/session.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { ActionPreview, Warning } from "#kit/web/ui/states.tsx";
import { endEnrolments, maxEndedAtOnce, type PlanEnrolment, type PlanRecord } from "./contract.ts";
import { enrolments } from "./UndoSubscribeAll.tsx";

interface EndEnrolmentsDialogProps {
  plan: PlanRecord;
  chosen: readonly PlanEnrolment[];
  onClose: () => void;
  onDone: (result: string) => void;
}

/** Ends several enrolments, after showing the effect in numbers. */
export function EndEnrolmentsDialog({ plan, chosen, onClose, onDone }: EndEnrolmentsDialogProps) {
  const today = useToday();
  const ending = useMutation({
    mutationFn: () => call(endEnrolments, { body: { ids: chosen.map(({ id }) => id) } }),
    onSuccess: ({ ended, debitsCreated, billed }) => {
      const first =
        debitsCreated > 0 ? ` ${formatMoney(billed)} was due and was billed first.` : "";
      onDone(`${enrolments(ended)} in ${plan.name} ended.${first}`);
    },
  });
  return (
    <Dialog title={`End ${enrolments(chosen.length)} in ${plan.name}`} onClose={onClose}>
      <Stack>
        <ActionPreview>{consequence(chosen, today)}</ActionPreview>
        <p>Ended enrolments cannot be restored, but you can subscribe the attorneys again.</p>
        {chosen.length > maxEndedAtOnce ? (
          <Warning title={`You can end at most ${enrolments(maxEndedAtOnce)} at a time`}>
            <p>Choose fewer enrolments. Your selection is kept.</p>
          </Warning>
        ) : (
          <DialogActions>
            <Button kind="danger" pending={ending.isPending} onClick={() => ending.mutate()}>
              {`End ${enrolments(chosen.length)}`}
            </Button>
          </DialogActions>
        )}
      </Stack>
    </Dialog>
  );
}

function consequence(chosen: readonly PlanEnrolment[], today: Day): string {
  const owed = sum(chosen.map((row) => row.owed));
  const due = chosen.filter(({ nextBillingDate }) => nextBillingDate && nextBillingDate <= today);
  const them = chosen.length === 1 ? "it" : "them";
  const sentences = [
    `End ${enrolments(chosen.length)}.`,
    owed > 0
      ? `The ${formatMoney(owed)} owed on ${them} stays owed.`
      : `Nothing is owed on ${them}.`,
    due.length > 0 && `Dues through today on ${enrolments(due.length)} are billed first.`,
    "Nothing is billed after that.",
  ];
  return sentences.filter(Boolean).join(" ");
}
