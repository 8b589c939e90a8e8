import { Link } from "react-router";
import type { z } from "zod";
import { formatMoney } from "#kit/domain/money.ts";
import { type Bulk, useBulkActions } from "#kit/list/BulkActions.tsx";
import { type CellsOf, ListScreen, useListed } from "#kit/list/ListScreen.tsx";
import { call } from "#kit/web/api.tsx";
import { ButtonLink } from "#kit/web/ui/Button.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { Sums } from "#kit/web/ui/Sums.tsx";
import {
  amountOf,
  checksWords,
  counted,
  forWords,
  paidBy,
  payerAddress,
  undecidedOf,
} from "./check-words.tsx";
import { checks, checkStatuses } from "./checks.list.ts";
import { CheckStatus } from "./CheckStatus.tsx";
import { type Check, decideWholeChecks, listChecks } from "./contract.ts";
import { DenyDialog } from "./DenyDialog.tsx";

/** Received checks, pending ones by default, with actions to approve or deny many. */
export function ChecksScreen() {
  const listed = useListed(checks, listChecks);
  return (
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
      bulk={useBulkActions(listed, deciding)}
      cells={cells}
      totals={{ amount: sums }}
      empty={<NonePending />}
    />
  );
}

const deciding: Bulk<Check, unknown, "deny" | "approve"> = {
  nameOf: ({ checkNumber, payer }) => `check ${checkNumber} of ${payer.name}`,
  canTick: ({ status }) => status === "pending",
  about: ({ rows }) => paidWords(undecidedOf(rows)),
  actions: {
    deny: {
      label: () => "Deny",
      kind: "danger",
      dialog: ({ rows }, props) => <DenyDialog checks={rows} {...props} />,
    },
    approve: {
      label: ({ rows }) => `Approve ${checksWords(undecidedOf(rows))}`,
      kind: "primary",
      run: async ({ rows }) => {
        await call(decideWholeChecks, { body: { approve: rows.map(({ id }) => id), deny: [] } });
        return `${checksWords(undecidedOf(rows))} approved.`;
      },
      failed: "No checks were approved",
    },
  },
};

/** ", $805.00: 5 debits of 3 attorneys, $90.00 credit" */
function paidWords(chosen: readonly Check[]): string {
  const { lawyers, debits, asCredit } = paidBy(chosen);
  const credit = asCredit > 0 ? `, ${formatMoney(asCredit)} credit` : "";
  return `, ${formatMoney(amountOf(chosen))}: ${counted(debits, "debit")} of ${counted(lawyers, "attorney")}${credit}`;
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
      title="No pending checks"
      action={<ButtonLink to="/admin/checks?status=all">Show all checks</ButtonLink>}
    >
      Checks appear here until you approve or deny them.
    </EmptyState>
  );
}
