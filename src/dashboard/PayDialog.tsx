import { type ReactNode, useState } from "react";
import { formatMoney } from "#kit/domain/money.ts";
import { RadioField } from "#kit/web/ui/ChoiceField.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { CardPayment } from "#cards/charge/CardPayment.tsx";
import { CheckForm } from "./CheckForm.tsx";
import type { Payment } from "#dues/ledger/typed-amounts.tsx";

interface PayDialogProps {
  payment: Payment;
  /** Shown above the choice of card or check. */
  children?: ReactNode;
  onClose: () => void;
  /** Called with a message for the attorney, after their record on screen is updated. */
  onPaid: (result: ReactNode) => void;
}

const modes = [
  { value: "card", label: "Pay by card" },
  { value: "check", label: "Pay by check" },
] as const;

export function PayDialog({ payment, children, onClose, onPaid }: PayDialogProps) {
  const [mode, setMode] = useState<(typeof modes)[number]["value"]>("card");
  return (
    <Dialog title={`You are paying: ${formatMoney(payment.total)}`} onClose={onClose}>
      <Stack gap={24}>
        {children}
        <RadioField
          inline
          labelHidden
          label="How to pay"
          options={modes}
          value={mode}
          onChange={setMode}
          error={undefined}
        />
        {/* Both stay mounted, so switching loses nothing typed. */}
        <div hidden={mode !== "card"}>
          <CardPayment payment={payment} onPaid={onPaid} />
        </div>
        <div hidden={mode !== "check"}>
          <CheckForm payment={payment} onPaid={onPaid} />
        </div>
      </Stack>
    </Dialog>
  );
}
