import { runningTotal } from "#domain/money.ts";
import { SubmitButton } from "#web/ui/Button.tsx";
import { Money } from "#web/ui/Money.tsx";
import { Notice } from "#web/ui/states.tsx";
import css from "./dashboard.module.css";
import type { PaymentAmounts } from "./payment-amounts.tsx";

interface PayBarProps {
  amounts: PaymentAmounts;
  /** What the last payment did. */
  done: string | null;
}

/** The running total and its button; stays in view below a long list. */
export function PayBar({ amounts, done }: PayBarProps) {
  return (
    <div className={css["payBar"]}>
      <Notice>{done}</Notice>
      <div className={css["payLine"]}>
        <span className={css["total"]}>
          <span>Total payment</span>
          <output>
            <Money amount={runningTotal(Object.values(amounts))} />
          </output>
        </span>
        <SubmitButton pending={false}>Pay</SubmitButton>
      </div>
    </div>
  );
}
