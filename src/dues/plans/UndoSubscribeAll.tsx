import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { z } from "zod";
import { formatMoney } from "#kit/domain/money.ts";
import { call } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { ActionPreview, Warning, WhenLoaded } from "#kit/web/ui/states.tsx";
import { previewUndo, undoSubscribeAll } from "./contract.ts";

interface UndoSubscribeAllProps {
  /** The batch of a Subscribe all, or of chosen attorneys. */
  batchId: number;
  /** Its name inside a sentence. */
  what?: "Subscribe all" | "subscribing several";
  planName: string;
  onDone: (result: string) => void;
}

/** Undoes a Subscribe all, after showing the effect in numbers. */
export function UndoSubscribeAll(props: UndoSubscribeAllProps & { small?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { planName, what = "Subscribe all", onDone, small = false } = props;
  return (
    <>
      <Button
        small={small}
        pending={false}
        label={`Undo ${what} to ${planName}`}
        onClick={() => setOpen(true)}
      >
        Undo
      </Button>
      {isOpen && (
        <UndoDialog
          {...props}
          onClose={() => setOpen(false)}
          onDone={(result) => {
            setOpen(false);
            onDone(result);
          }}
        />
      )}
    </>
  );
}

function UndoDialog(props: UndoSubscribeAllProps & { onClose: () => void }) {
  const { batchId, planName, what = "Subscribe all", onClose } = props;
  // Never cached: the administrator agrees to these numbers.
  const counting = useQuery({
    ...endpointQuery(previewUndo, { params: { id: batchId } }),
    gcTime: 0,
  });
  return (
    <Dialog title={`Undo ${what} to ${planName}`} onClose={onClose}>
      <WhenLoaded query={counting} title="It cannot be undone">
        {(loaded) => <UndoConfirmation {...props} counts={loaded} />}
      </WhenLoaded>
    </Dialog>
  );
}

type Counts = z.output<typeof previewUndo.object>;

function UndoConfirmation({
  batchId,
  planName,
  what = "Subscribe all",
  onDone,
  counts,
}: UndoSubscribeAllProps & { counts: Counts }) {
  const undoing = useMutation({
    mutationFn: () => call(undoSubscribeAll, { params: { id: batchId } }),
    onSuccess: ({ ended, reversed }) => {
      onDone(
        `${what.charAt(0).toUpperCase()}${what.slice(1)} to ${planName} was undone: ${enrolments(ended)} ended, ${formatMoney(reversed)} of debits reversed.`,
      );
    },
  });
  if (counts.paid > 0) {
    return (
      <Warning tone="bad" title="It cannot be undone">
        <p>
          {paidWords(counts.paid)} End the enrolments on the plan’s page instead, and adjust debits
          that are not owed.
        </p>
      </Warning>
    );
  }
  return (
    <Stack>
      <ActionPreview>{consequence(counts)}</ActionPreview>
      <p>This is final. Other enrolments in {planName} do not change.</p>
      <DialogActions>
        <Button kind="danger" pending={undoing.isPending} onClick={() => undoing.mutate()}>
          {`Undo ${what}`}
        </Button>
      </DialogActions>
    </Stack>
  );
}

function consequence({ enrolments: ending, debits, amount, creditReturned }: Counts): string {
  const money =
    debits > 0 ? ` and reverse ${formatMoney(amount)} of debits` : ". They have no debits";
  const credit =
    creditReturned > 0
      ? ` ${formatMoney(creditReturned)} of this was paid from credit and returns to the attorneys’ credit.`
      : "";
  return `End ${enrolments(ending)}${money}.${credit}`;
}

function paidWords(paid: number): string {
  const count = paid.toLocaleString("en-US");
  return paid === 1
    ? "One of its debits has a payment, approved or pending."
    : `${count} of its debits have payments, approved or pending.`;
}

export function enrolments(count: number): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? "enrolment" : "enrolments"}`;
}
