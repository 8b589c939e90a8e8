import { useMutation } from "@tanstack/react-query";
import { call } from "#kit/web/api.tsx";
import { useFrozenWhilePending } from "#kit/web/frozen-while-pending.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { ActionPreview, Warning } from "#kit/web/ui/states.tsx";
import { formatMoney } from "#kit/domain/money.ts";
import { checksWords, counted, isPartlyApproved, paidBy, undecidedOf } from "./check-words.tsx";
import { type Check, decideWholeChecks } from "./contract.ts";

interface DenyDialogProps {
  checks: readonly Check[];
  onClose: () => void;
  /** Called with a sentence about the result. */
  onDone: (result: string) => void;
}

/** Shows what denying checks does, then denies all of them or none. */
export function DenyDialog({ checks: now, onClose, onDone }: DenyDialogProps) {
  const denying = useMutation({
    mutationFn: async (said: string) => {
      await call(decideWholeChecks, { body: { approve: [], deny: checks.map(({ id }) => id) } });
      return said;
    },
    onSuccess: (said) => onDone(`${said.replace(/^the/, "The")} denied. The debits stay owed.`),
  });
  const checks = useFrozenWhilePending(now, denying.isPending);
  const what = whatIsDenied(checks);
  return (
    <Dialog title={`Deny ${what}?`} onClose={onClose}>
      <Stack>
        {denying.error && (
          <Warning
            tone="bad"
            title={checks.length > 1 ? "No checks were denied" : "The check was not denied"}
          >
            <p>{denying.error.message}</p>
          </Warning>
        )}
        <ActionPreview>{consequence(checks)}</ActionPreview>
        <DialogActions>
          <Button kind="danger" pending={denying.isPending} onClick={() => denying.mutate(what)}>
            {`Deny ${what}`}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}

/** "2 checks ($90.00)", or the undecided rest. The credit of a partly approved check is received anyway. */
function whatIsDenied(checks: readonly Check[]): string {
  const left = checks.flatMap((check) => {
    const undecided = undecidedOf([check]);
    if (!isPartlyApproved(check)) return undecided;
    return undecided.map((rest) => ({ ...rest, amount: paidBy([rest]).onDebits }));
  });
  return `${checks.some(isPartlyApproved) ? "the rest of " : ""}${checksWords(left)}`;
}

function consequence(checks: readonly Check[]): string {
  const counting = checks.filter(isPartlyApproved);
  const { debits, onDebits } = paidBy(undecidedOf(checks));
  const { asCredit: lost } = paidBy(checks.filter((check) => !isPartlyApproved(check)));
  const owed = `${counted(debits, "debit")}, ${formatMoney(onDebits)} in all, can be paid again`;
  const credit = lost > 0 ? `, and ${formatMoney(lost)} does not become credit` : "";
  const last = "A denied check cannot be approved later, but its number can be recorded again.";
  if (counting.length === 0) return `Nothing is paid: ${owed}${credit}. ${last}`;
  const { asCredit: received } = paidBy(counting);
  const brought = received > 0 ? `, and its ${formatMoney(received)} credit is received` : "";
  return `The approved part stays paid${brought}. The rest pays nothing: ${owed}${credit}.`;
}
