import type { ReactNode } from "react";
import { runningTotal } from "#kit/domain/money.ts";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import css from "./dashboard.module.css";
import type { PaymentAmounts } from "#dues/ledger/typed-amounts.tsx";

interface PayBarProps {
  amounts: PaymentAmounts;
  done: ReactNode;
  children: ReactNode;
}

/** The running total and the Pay button; stays in view below a long list. */
export function PayBar({ amounts, done, children }: PayBarProps) {
  return (
    <div className={css["payBar"]}>
      <Notice>{done}</Notice>
      {children}
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
