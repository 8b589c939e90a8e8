import type { ReactNode } from "react";
import { formatDay } from "#domain/day.ts";
import { formatMoney, maxAmount, sum } from "#domain/money.ts";
import { nextBill } from "#domain/next-bill.ts";
import type { Attorney } from "#features/attorneys/contract.ts";
import { awaitingOf, payableOf } from "#features/ledger/typed-amounts.tsx";
import { ButtonLink } from "#web/ui/Button.tsx";
import css from "./dashboard.module.css";

interface OwedSummaryProps {
  attorney: Attorney;
  /** What of reports is said beside what is owed. */
  children: ReactNode;
}

/** What an attorney owes and can pay with one press, and what is billed next. */
export function OwedSummary({ attorney, children }: OwedSummaryProps) {
  const { balance, credit, debits, subscriptionInstances } = attorney;
  const awaiting = sum(debits.map(awaitingOf));
  const payable = sum(debits.map(payableOf));
  const bill = nextBill(subscriptionInstances);
  return (
    <section className={css["summary"]} aria-label="What you owe">
      <div>
        <p className={css["owe"]}>{`You owe ${formatMoney(balance)}`}</p>
        {awaiting > 0 && <p>{`${formatMoney(awaiting)} of it awaits confirmation`}</p>}
        {credit > 0 && <p>{`Your credit: ${formatMoney(credit)}`}</p>}
        {bill && <p>{`Next bill: ${formatMoney(bill.amount)} on ${formatDay(bill.on)}`}</p>}
      </div>
      {payable > 0 && payable <= maxAmount && (
        <ButtonLink kind="primary" to="?pay=all">{`Pay ${formatMoney(payable)}`}</ButtonLink>
      )}
      {children}
    </section>
  );
}
