import { useMutation } from "@tanstack/react-query";
import { listActivity } from "#features/activity/contract.ts";
import { call } from "#web/api.tsx";
import { refetch } from "#web/queries.tsx";
import { Button } from "#web/ui/Button.tsx";
import { Dialog, DialogActions } from "#web/ui/Dialog.tsx";
import { Stack } from "#web/ui/layout.tsx";
import { ActionPreview, Warning } from "#web/ui/states.tsx";
import { formatMoney } from "#domain/money.ts";
import { checksWords, counted, paidBy } from "./check-words.tsx";
import { type Check, decideWholeChecks, listChecks, showCheck } from "./contract.ts";

interface DenyDialogProps {
  checks: readonly Check[];
  onClose: () => void;
  /** Called with a sentence that says what was done. */
  onDone: (result: string) => void;
}

/** Says what denying checks means, then denies them, all or none. */
export function DenyDialog({ checks, onClose, onDone }: DenyDialogProps) {
  const denying = useMutation({
    mutationFn: async () => {
      try {
        await call(decideWholeChecks, { body: { approve: [], deny: checks.map(({ id }) => id) } });
      } finally {
        await refetch(listChecks, showCheck, listActivity);
      }
    },
    onSuccess: () => onDone(`${checksWords(checks)} denied: what they were for stays owed.`),
  });
  return (
    <Dialog title={`Deny ${checksWords(checks)}?`} onClose={onClose}>
      <Stack>
        {denying.error && (
          <Warning
            tone="bad"
            title={checks.length > 1 ? "None of them was denied" : "It was not denied"}
          >
            <p>{denying.error.message}</p>
          </Warning>
        )}
        <ActionPreview>{consequence(checks)}</ActionPreview>
        <DialogActions>
          <Button kind="danger" pending={denying.isPending} onClick={() => denying.mutate()}>
            {`Deny ${checksWords(checks)}`}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}

function consequence(checks: readonly Check[]): string {
  const { debits, onDebits, asCredit } = paidBy(checks);
  const owed = `${counted(debits, "debit")} with ${formatMoney(onDebits)} in all can be paid again`;
  const credit = asCredit > 0 ? `, and ${formatMoney(asCredit)} does not become credit` : "";
  return `Nothing is paid: ${owed}${credit}. A denied check cannot be approved afterwards; its number may be recorded again.`;
}
