import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { daysBetween } from "#kit/domain/day.ts";
import { listPlans } from "./plans.list.ts";
import { type CellsOf, ListScreen, useListed } from "#kit/list/ListScreen.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Stack } from "#kit/web/ui/layout.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { type DebitOfAttorney } from "#dues/ledger/contract.ts";
import { debits, listDebits } from "#dues/ledger/debits.list.ts";

/** Debits with a balance, longest overdue first, or paid debits. */
export function DebitsScreen() {
  const plans = useQuery(endpointQuery(listPlans));
  return (
    <ListScreen
      listed={useListed(debits, listDebits)}
      options={{ plan_id: plans.data }}
      cells={cells}
      empty={
        <EmptyState title="Nothing is owed">
          Dues and charges appear here until they are paid.
        </EmptyState>
      }
    />
  );
}

const cells: CellsOf<typeof debits, DebitOfAttorney> = {
  attorney_name: ({ attorneyId, attorneyName }) => (
    <Link to={`/admin/attorneys/${attorneyId}`}>{attorneyName}</Link>
  ),
  subscription: ({ name, note }) => (
    <Stack gap={4}>
      <span>{name}</span>
      {note && <Muted small>{note}</Muted>}
    </Stack>
  ),
  due_on: ({ dueDate }) => <DayText on={dueDate} />,
  days_overdue: (debit) => <DaysOverdue debit={debit} />,
};

function DaysOverdue({ debit: { dueDate, balance } }: { debit: DebitOfAttorney }) {
  const today = useToday();
  return balance > 0 && dueDate < today
    ? daysBetween(dueDate, today).toLocaleString("en-US")
    : null;
}
