import { formatDay } from "#kit/domain/day.ts";
import { formatMoney } from "#kit/domain/money.ts";
import { call, requestBody } from "#kit/web/api.tsx";
import { useToday } from "#kit/web/session.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { DayField } from "#kit/web/ui/DayField.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { changeDeposit, type Deposit } from "./contract.ts";
import { checkCount } from "./deposit-words.tsx";

interface BankDialogProps {
  deposit: Deposit;
  onClose: () => void;
  /** Called with the banked deposit. */
  onDone: (banked: Deposit) => void;
}

/** Shows the deposit's checks and total, then marks it as banked, which is final. */
export function BankDialog({ deposit, onClose, onDone }: BankDialogProps) {
  const { id, number, count, total, accountName, depositedOn } = deposit;
  const today = useToday();
  const form = useForm<{ banked_on: string | null }, Deposit>({
    start: { banked_on: today },
    labels: { banked_on: "Banked on" },
    send: ({ banked_on }) =>
      call(changeDeposit, {
        params: { id },
        body: requestBody(changeDeposit, { status: "banked", banked_on: banked_on ?? "" }),
      }),
    onDone,
  });
  return (
    <Dialog title={`Mark deposit ${number} as banked`} onClose={onClose}>
      <Form form={form} label="Mark as banked">
        <DayField required label="Banked on" {...form.field("banked_on")} />
        <ActionPreview>
          {`${checkCount(count)}, ${formatMoney(total)} in all, deposited to ${accountName} on ${formatDay(depositedOn)}. You cannot change the deposit after this.`}
        </ActionPreview>
        <DialogActions>
          <SubmitButton
            pending={form.pending}
          >{`Mark as banked (${formatMoney(total)})`}</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
