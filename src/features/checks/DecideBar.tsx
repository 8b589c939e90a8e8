import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { formatMoney } from "#domain/money.ts";
import { call } from "#web/api.tsx";
import { refetch } from "#web/queries.tsx";
import { Button } from "#web/ui/Button.tsx";
import { Muted } from "#web/ui/layout.tsx";
import { Notice, Warning } from "#web/ui/states.tsx";
import type { Ticks } from "#web/ui/ticks.tsx";
import { amountOf, checksWords, counted, paidBy } from "./check-words.tsx";
import { type Check, decideWholeChecks, listChecks } from "./contract.ts";
import css from "./checks.module.css";
import { DenyDialog } from "./DenyDialog.tsx";

/** What is chosen in the list of checks, in numbers, and what can be done with all of it at once. */
export function DecideBar({ ticks }: { ticks: Ticks<Check> }) {
  const { chosen, clear } = ticks;
  const [done, setDone] = useState<string | null>(null);
  const [isDenying, setDenying] = useState(false);
  const approving = useMutation({
    mutationFn: async (checks: readonly Check[]) => {
      try {
        await call(decideWholeChecks, { body: { approve: checks.map(({ id }) => id), deny: [] } });
      } finally {
        await refetch(listChecks);
      }
    },
    onMutate: () => setDone(null),
    onSuccess: (_, checks) => {
      clear();
      setDone(`${checksWords(checks)} approved.`);
    },
  });
  return (
    <div className={css["bar"]} data-chosen={chosen.length > 0}>
      <Notice>{done}</Notice>
      {approving.error && chosen.length > 0 && (
        <Warning tone="bad" title="None of them was approved">
          <p>{approving.error.message}</p>
        </Warning>
      )}
      {chosen.length > 0 && (
        <div className={css["decide"]}>
          <Chosen ticks={ticks} />
          <Button kind="quiet" pending={false} onClick={clear}>
            Clear
          </Button>
          <Button kind="danger" pending={false} onClick={() => setDenying(true)}>
            Deny…
          </Button>
          <Button
            kind="primary"
            pending={approving.isPending}
            onClick={() => approving.mutate(chosen)}
          >
            {`Approve ${checksWords(chosen)}`}
          </Button>
        </div>
      )}
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
    </div>
  );
}

function Chosen({ ticks: { chosen, elsewhere, dropElsewhere } }: { ticks: Ticks<Check> }) {
  const { lawyers, debits, asCredit } = paidBy(chosen);
  return (
    <output className={css["chosen"]}>
      <span>
        <strong>{`${chosen.length.toLocaleString("en-US")} chosen, ${formatMoney(amountOf(chosen))}`}</strong>
        {`: ${counted(debits, "debit")} of ${counted(lawyers, "lawyer")}`}
        {asCredit > 0 && `, ${formatMoney(asCredit)} credit`}
      </span>
      {elsewhere > 0 && (
        <Muted small>
          {`${elsewhere.toLocaleString("en-US")} of them not on this page. `}
          <Button small kind="quiet" pending={false} onClick={dropElsewhere}>
            Keep those on this page
          </Button>
        </Muted>
      )}
    </output>
  );
}
