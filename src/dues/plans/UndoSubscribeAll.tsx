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
  /** Which Subscribe all, or other batch. */
  batchId: number;
  /** What it is called within a sentence. */
  what?: "Subscribe all" | "subscribing several";
  planName: string;
  /** Called with a sentence that says what was taken back. */
  onDone: (result: string) => void;
}

/** Offers to take a Subscribe all back, after saying in numbers what that does. */
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
  // Counted anew each time: the numbers are what the administrator agrees to.
  const counting = useQuery({
    ...endpointQuery(previewUndo, { params: { id: batchId } }),
    gcTime: 0,
  });
  return (
    <Dialog title={`Undo ${what} to ${planName}`} onClose={onClose}>
      <WhenLoaded query={counting} title="It cannot be undone">
        {(loaded) => <Agreement {...props} counts={loaded} />}
      </WhenLoaded>
    </Dialog>
  );
}

type Counts = z.output<typeof previewUndo.object>;

function Agreement({
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
        `${what.charAt(0).toUpperCase()}${what.slice(1)} to ${planName} was undone: ${enrolments(ended)} ended, ${formatMoney(reversed)} of debits taken back.`,
      );
    },
  });
  if (counts.paid > 0) {
    return (
      <Warning tone="bad" title="It cannot be undone">
        <p>
          {paidWords(counts.paid)} End the enrolments on the plan’s page, and adjust what is not
          owed.
        </p>
      </Warning>
    );
  }
  return (
    <Stack>
      <ActionPreview>{consequence(counts)}</ActionPreview>
      <p>It cannot be taken back. Other enrolments in {planName} stay as they are.</p>
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
    debits > 0 ? ` and take back ${formatMoney(amount)} of debits` : ". No debit was made for them";
  const credit =
    creditReturned > 0
      ? ` ${formatMoney(creditReturned)} of it was paid from credit, and goes back to the lawyers’ credit.`
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
