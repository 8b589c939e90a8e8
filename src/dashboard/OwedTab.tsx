import { type ReactNode, type SyntheticEvent, useId, useState } from "react";
import { useSearchParams } from "react-router";
import { FormErrors } from "#kit/web/ui/FormErrors.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import type { Cents } from "#kit/domain/money.ts";
import type { Debit } from "#dues/ledger/contract.ts";
import css from "./dashboard.module.css";
import { FillAll } from "./FillAll.tsx";
import { NothingEntered } from "./NothingEntered.tsx";
import { OwedTable } from "./OwedTable.tsx";
import { PayAllDialog } from "./PayAllDialog.tsx";
import { PayBar } from "./PayBar.tsx";
import { PayDialog } from "./PayDialog.tsx";
import {
  type AmountProblem,
  type Payment,
  type PaymentAmounts,
  fullAmounts,
  isNothingEntered,
  payableOf,
  problemsIn,
  labelOf,
} from "#dues/ledger/typed-amounts.tsx";
import { paymentOf } from "./payment-key.tsx";

interface OwedTabProps {
  debits: readonly Debit[];
  /** Used first when everything is paid. */
  credit: Cents;
  amounts: PaymentAmounts;
  onAmounts: (amounts: PaymentAmounts) => void;
}

/** The result of the last press of Pay, and the debits it checked. */
interface Checked {
  debits: readonly Debit[];
  problems: readonly AmountProblem[];
  /** No amount was entered, so none was wrong. */
  nothingEntered: boolean;
  attempt: number;
}

/** The debits owed, an amount to pay on each, and the total payment. Source: spec §2, §4. */
export function OwedTab({ debits, credit, amounts, onAmounts }: OwedTabProps) {
  const fieldsId = useId();
  const [checked, setChecked] = useState<Checked>({
    debits,
    problems: [],
    nothingEntered: false,
    attempt: 0,
  });
  const [paying, setPaying] = useState<Payment | null>(null);
  const [done, setDone] = useState<ReactNode>(null);
  const [address, setAddress] = useSearchParams();
  const paysAll = address.get("pay") === "all";
  const problems = checked.debits === debits ? checked.problems : [];
  const offersAll =
    checked.debits === debits && checked.nothingEntered && isNothingEntered(amounts);
  const fieldIdOf = (debitId: number) => `${fieldsId}-${debitId}`;

  const handlePay = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found = problemsIn(debits, amounts);
    const nothingEntered = found.length === 0 && isNothingEntered(amounts);
    setChecked({ debits, problems: found, nothingEntered, attempt: checked.attempt + 1 });
    setDone(null);
    if (found.length === 0 && !nothingEntered) startPaying(amounts);
  };
  const startPaying = (entered: PaymentAmounts) => setPaying(paymentOf(debits, entered));
  const handlePayAll = () => {
    const all = fullAmounts(debits, credit);
    onAmounts(all);
    startPaying(all);
  };
  const handleAmounts = (entered: PaymentAmounts) => {
    setDone(null);
    onAmounts(entered);
  };
  const stopPaying = () => {
    setPaying(null);
    if (paysAll) setAddress({}, { replace: true });
  };
  const handlePaid = (result: ReactNode) => {
    stopPaying();
    setDone(result);
  };

  return (
    <>
      {debits.length === 0 ? (
        <>
          <Notice>{done}</Notice>
          <EmptyState title="You owe nothing">New dues appear here when they fall due.</EmptyState>
        </>
      ) : (
        <form className={css["owed"]} noValidate aria-label="Payment" onSubmit={handlePay}>
          {problems.length > 0 && (
            <FormErrors key={checked.attempt} problems={problems.map(summaryOf)} />
          )}
          {debits.length > 1 && (
            <FillAll debits={debits} credit={credit} amounts={amounts} onAmounts={handleAmounts} />
          )}
          <OwedTable
            debits={debits}
            amounts={amounts}
            onAmounts={handleAmounts}
            problems={problems}
            fieldIdOf={fieldIdOf}
          />
          <PayBar amounts={amounts} done={done}>
            {offersAll && (
              <NothingEntered
                key={checked.attempt}
                debits={debits}
                credit={credit}
                onPayAll={handlePayAll}
              />
            )}
          </PayBar>
        </form>
      )}
      {paying && <PayDialog payment={paying} onClose={stopPaying} onPaid={handlePaid} />}
      {paysAll && (
        <PayAllDialog debits={debits} credit={credit} onClose={stopPaying} onPaid={handlePaid} />
      )}
    </>
  );

  function summaryOf({ debit, message }: AmountProblem) {
    const fieldId = payableOf(debit) > 0 ? fieldIdOf(debit.id) : undefined;
    return { message: `${labelOf(debit)}: ${message}`, fieldId };
  }
}
