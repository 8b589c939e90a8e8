import { useMutation } from "@tanstack/react-query";
import { formatDay } from "#domain/day.ts";
import { formatMoney } from "#domain/money.ts";
import { call } from "#web/api.tsx";
import { Button } from "#web/ui/Button.tsx";
import { Dialog, DialogActions } from "#web/ui/Dialog.tsx";
import { Stack } from "#web/ui/layout.tsx";
import { ActionPreview } from "#web/ui/states.tsx";
import { changeDeposit, type Deposit } from "./contract.ts";
import { checkCount } from "./deposit-words.tsx";

interface BankDialogProps {
  deposit: Deposit;
  onClose: () => void;
  onDone: () => void;
}

/** Say in numbers what was brought to the bank before it is fixed for good. */
export function BankDialog({ deposit, onClose, onDone }: BankDialogProps) {
  const { id, number, count, total, accountName, depositedOn } = deposit;
  const banking = useMutation({
    mutationFn: async () => {
      await call(changeDeposit, { params: { id }, body: { status: "banked" } });
    },
    onSuccess: onDone,
  });
  return (
    <Dialog title={`Mark deposit ${number} as banked`} onClose={onClose}>
      <Stack>
        <ActionPreview>
          {`${checkCount(count)}, ${formatMoney(total)} together, brought to ${accountName} on ${formatDay(depositedOn)}. After this the deposit stays as it is.`}
        </ActionPreview>
        <DialogActions>
          <Button kind="primary" pending={banking.isPending} onClick={() => banking.mutate()}>
            {`Mark as banked (${formatMoney(total)})`}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
