import { Link } from "react-router";
import { formatDay } from "#kit/domain/day.ts";
import { formatMoney, sum } from "#kit/domain/money.ts";
import { nextBill } from "#kit/domain/next-bill.ts";
import type { Attorney } from "#people/contract.ts";
import { pendingOf } from "#dues/ledger/typed-amounts.tsx";
import css from "./attorney-record.module.css";

/** An attorney's balance, credit, next bill and referrals in one line above the tabs. */
export function AttorneyStrip({ attorney }: { attorney: Attorney }) {
  const { balance, credit, debits, subscriptionInstances, referrals } = attorney;
  const pending = sum(debits.map(pendingOf));
  const bill = nextBill(subscriptionInstances);
  return (
    <ul className={css["strip"]} aria-label="At a glance">
      <li>
        <strong>{`Owes ${formatMoney(balance)}`}</strong>
      </li>
      <li>{`${formatMoney(pending)} pending`}</li>
      <li>{`credit ${formatMoney(credit)}`}</li>
      <li>
        {bill ? `next bill ${formatMoney(bill.amount)} on ${formatDay(bill.on)}` : "no next bill"}
      </li>
      <li>
        <ReferralsLink of={referrals} />
      </li>
    </ul>
  );
}

function ReferralsLink({ of: { open, overdue } }: { of: Attorney["referrals"] }) {
  if (open === 0) return <Link to="?view=referrals">no open referrals</Link>;
  return (
    <>
      <Link to="?view=referrals&status=open">
        {open === 1 ? "1 open referral" : `${open.toLocaleString("en-US")} open referrals`}
      </Link>
      {overdue > 0 && (
        <>
          {", "}
          <Link to="?view=referrals&status=overdue">
            {`${overdue.toLocaleString("en-US")} overdue`}
          </Link>
        </>
      )}
    </>
  );
}
