import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { formatMoney } from "#domain/money.ts";
import { call } from "#web/api.tsx";
import { Button } from "#web/ui/Button.tsx";
import { ChosenBar } from "#web/ui/ChosenBar.tsx";
import { Warning } from "#web/ui/states.tsx";
import type { Ticks } from "#web/ui/ticks.tsx";
import { amountOf, checksWords, counted, paidBy, undecidedOf } from "./check-words.tsx";
import { type Check, decideWholeChecks } from "./contract.ts";
import { DenyDialog } from "./DenyDialog.tsx";

/** What is chosen in the list of checks, in numbers, and what can be done with all of it at once. */
export function DecideBar({ ticks }: { ticks: Ticks<Check> }) {
  const { chosen, clear } = ticks;
  const undecided = undecidedOf(chosen);
  const [done, setDone] = useState<string | null>(null);
  const [isDenying, setDenying] = useState(false);
  const approving = useMutation({
    mutationFn: async (checks: readonly Check[]) => {
      await call(decideWholeChecks, { body: { approve: checks.map(({ id }) => id), deny: [] } });
    },
    onMutate: () => setDone(null),
    onSuccess: (_, checks) => {
      clear();
      setDone(`${checksWords(undecidedOf(checks))} approved.`);
    },
  });
  return (
    <>
      <ChosenBar
        ticks={ticks}
        about={whatIsPaid(undecided)}
        done={done}
        problem={
          approving.error && (
            <Warning tone="bad" title="None of them was approved">
              <p>{approving.error.message}</p>
            </Warning>
          )
        }
      >
        <Button kind="danger" pending={false} onClick={() => setDenying(true)}>
          Deny
        </Button>
        <Button
          kind="primary"
          pending={approving.isPending}
          onClick={() => approving.mutate(chosen)}
        >
          {`Approve ${checksWords(undecided)}`}
        </Button>
      </ChosenBar>
      {isDenying && (
        <DenyDialog
          checks={chosen}
          onClose={() => setDenying(false)}
          onDone={(result) => {
            setDenying(false);
            clear();
            setDone(result);
          }}
        />
      )}
    </>
  );
}

/** ", $805.00: 5 debits of 3 lawyers, $90.00 credit" */
function whatIsPaid(checks: readonly Check[]): string {
  const { lawyers, debits, asCredit } = paidBy(checks);
  const credit = asCredit > 0 ? `, ${formatMoney(asCredit)} credit` : "";
  return `, ${formatMoney(amountOf(checks))}: ${counted(debits, "debit")} of ${counted(lawyers, "lawyer")}${credit}`;
}
