import { type ReactNode, useState } from "react";
import { formatDay } from "#kit/domain/day.ts";
import { type Cents, cents, formatMoney, maxAmount, sum } from "#kit/domain/money.ts";
import { nextBill } from "#kit/domain/next-bill.ts";
import type { Attorney } from "#people/contract.ts";
import { pendingOf, leftToPay, payableOf } from "#dues/ledger/typed-amounts.tsx";
import { ButtonLink } from "#kit/web/ui/Button.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import css from "./dashboard.module.css";
import { UseCredit } from "./UseCredit.tsx";

interface OwedSummaryProps {
  attorney: Attorney;
  children: ReactNode;
}

/** What an attorney owes, buttons to pay it from credit or otherwise, and the next bill. */
export function OwedSummary({ attorney, children }: OwedSummaryProps) {
  const { balance, credit, debits, subscriptionInstances } = attorney;
  const pending = sum(debits.map(pendingOf));
  const [done, setDone] = useState<string | null>(null);
  const left = sum(leftToPay(debits, credit).map(({ amount }) => amount));
  const covered = cents(sum(debits.map(payableOf)) - left);
  const isPayable = left > 0 && left <= maxAmount;
  const bill = nextBill(subscriptionInstances);
  return (
    <section className={css["summary"]} aria-label="What you owe">
      <div>
        <p className={css["owe"]}>{`You owe ${formatMoney(balance)}`}</p>
        {pending > 0 && <p>{`${formatMoney(pending)} pending`}</p>}
        {credit > 0 && <p>{`Your credit: ${formatMoney(credit)}`}</p>}
        {covered > 0 && (
          <p>{`Left to pay after your credit: ${left === 0 ? "nothing" : formatMoney(left)}`}</p>
        )}
        {bill && <p>{`Next bill: ${formatMoney(bill.amount)} on ${formatDay(bill.on)}`}</p>}
        <Notice>{done}</Notice>
      </div>
      {(covered > 0 || isPayable) && (
        <div className={css["summaryActions"]}>
          {covered > 0 && <UseCredit amount={atMostOnePayment(covered)} onDone={setDone} />}
          {isPayable && (
            <ButtonLink
              kind={covered > 0 ? "secondary" : "primary"}
              to="?pay=all"
            >{`Pay ${formatMoney(left)}`}</ButtonLink>
          )}
        </div>
      )}
      {children}
    </section>
  );
}

/** One payment is at most `maxAmount`; the rest of the credit takes another press. */
const atMostOnePayment = (amount: Cents) => cents(Math.min(amount, maxAmount));
