import { Link } from "react-router";
import type { z } from "zod";
import { formatMoney } from "#domain/money.ts";
import { type CellsOf, ListScreen, useListed } from "#list/ListScreen.tsx";
import { ButtonLink } from "#web/ui/Button.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { Sums } from "#web/ui/Sums.tsx";
import { useTicks } from "#web/ui/ticks.tsx";
import { forWords, payerAddress } from "./check-words.tsx";
import { checks, checkStatuses } from "./checks.list.ts";
import { CheckStatus } from "./CheckStatus.tsx";
import { type Check, listChecks } from "./contract.ts";
import { DecideBar } from "./DecideBar.tsx";

const isPending = ({ status }: Check) => status === "pending";

/** Received checks, those that wait for a decision first; many are approved or denied together. */
export function ChecksScreen() {
  const listed = useListed(checks, listChecks);
  const ticks = useTicks({
    rows: listed.rows.data?.items,
    keyOf: ({ id }) => id,
    nameOf: ({ checkNumber, payer }) => `check ${checkNumber} of ${payer.name}`,
    canTick: isPending,
  });
  return (
    <>
      <ListScreen
        listed={listed}
        about={({ pending: { count, amount } }) =>
          `Pending ${count.toLocaleString("en-US")} · ${formatMoney(amount)}`
        }
        actions={
          <ButtonLink kind="primary" to="/admin/checks/new">
            Record a check
          </ButtonLink>
        }
        ticks={ticks}
        cells={cells}
        totals={{ amount: sums }}
        empty={<NonePending />}
      />
      <DecideBar ticks={ticks} />
    </>
  );
}

const cells: CellsOf<typeof checks, Check> = {
  check_number: ({ id, checkNumber }) => <Link to={`/admin/checks/${id}`}>{checkNumber}</Link>,
  payer: ({ payer }) => <Link to={payerAddress(payer)}>{payer.name}</Link>,
  paid_for: forWords,
  status: ({ status }) => <CheckStatus status={status} />,
};

const sums = ({ totals }: z.output<typeof listChecks.object>) => (
  <Sums parts={totals.parts} wordOf={(status) => checkStatuses[status]} />
);

function NonePending() {
  return (
    <EmptyState
      title="No check is pending"
      action={<ButtonLink to="/admin/checks?status=all">Show all checks</ButtonLink>}
    >
      Checks appear here until you approve or deny them.
    </EmptyState>
  );
}
