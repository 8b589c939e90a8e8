import { Link, useLocation } from "react-router";
import { type Day, formatDay, isDay } from "#kit/domain/day.ts";
import { type Cents, sum } from "#kit/domain/money.ts";
import type { Filters } from "#kit/list/define-list.ts";
import { type Column, DataTable, totalWords } from "#kit/web/ui/DataTable.tsx";
import { Muted, Section } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import type { AccountTotals } from "./contract.ts";

interface TrialBalanceProps {
  accounts: readonly AccountTotals[];
  /** The filters of the entries. Only the period is used here. */
  filters: { shown: Filters };
}

/** The totals of each account in the period. Its name links to its entries. */
export function TrialBalance({ accounts, filters: { shown } }: TrialBalanceProps) {
  const { search } = useLocation();
  const entriesOf = (account: string) => {
    const address = new URLSearchParams(search);
    address.delete("page");
    address.set("account", account);
    return `?${address}`;
  };
  const name: Column<AccountTotals> = {
    heading: "Account",
    cell: (row) => <Link to={entriesOf(row.account)}>{row.name}</Link>,
    total: totalWords(accounts.length, "account"),
  };
  const amount = (
    heading: string,
    amountOf: (row: AccountTotals) => Cents,
  ): Column<AccountTotals> => ({
    heading,
    amount: true,
    cell: (row) => <Money amount={amountOf(row)} />,
    total: <Money amount={sum(accounts.map(amountOf))} />,
  });
  return (
    <Section title="Trial balance">
      <Muted>{`All accounts${periodWords(shown)}. Credit balances have a minus.`}</Muted>
      <DataTable
        caption="Trial balance"
        captionHidden
        columns={[
          name,
          amount("Balance before", ({ before }) => before),
          amount("Debits", ({ debits }) => debits),
          amount("Credits", ({ credits }) => credits),
          amount("Balance after", ({ after }) => after),
        ]}
        rows={accounts}
        keyOf={({ account }) => account}
        empty={null}
      />
    </Section>
  );
}

function periodWords({ from, to }: Filters): string {
  const words = (preposition: string, day: Day | undefined) =>
    day !== undefined && isDay(day) ? ` ${preposition} ${formatDay(day)}` : "";
  return `${words("from", from)}${words("through", to)}`;
}
