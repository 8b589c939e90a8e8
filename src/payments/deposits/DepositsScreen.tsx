import { Link } from "react-router";
import { type CellsOf, ListPart, useListed } from "#kit/list/ListScreen.tsx";
import { ButtonLink } from "#kit/web/ui/Button.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { type Deposit, listDeposits } from "./contract.ts";
import { deposits } from "./deposits.list.ts";
import { DepositStatus } from "./DepositStatus.tsx";
import { HeldForPayers } from "./HeldForPayers.tsx";

const newDeposit = (
  <ButtonLink kind="primary" to="/admin/deposits/new">
    Make a deposit
  </ButtonLink>
);

/** Money held for payers, then all deposits, newest first. */
export function DepositsScreen() {
  const listed = useListed(deposits, listDeposits);
  return (
    <>
      <PageHeading title={deposits.title} actions={!listed.isEmpty && newDeposit} />
      <HeldForPayers />
      <ListPart
        listed={listed}
        exported="Export their checks"
        cells={cells}
        empty={
          <EmptyState title="No deposits yet" action={newDeposit}>
            Choose the approved checks to deposit, then print the slip.
          </EmptyState>
        }
      />
    </>
  );
}

const cells: CellsOf<typeof deposits, Deposit> = {
  deposit: ({ id, number }) => <Link to={`/admin/deposits/${id}`}>Deposit {number}</Link>,
  deposit_status: ({ status }) => <DepositStatus status={status} />,
};
