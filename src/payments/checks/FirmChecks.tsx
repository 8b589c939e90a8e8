import { Link } from "react-router";
import { PagedTable } from "#kit/list/PagedTable.tsx";
import { type Check, listChecks } from "#payments/checks/contract.ts";
import { CheckStatus } from "#payments/checks/CheckStatus.tsx";
import { endpointQuery, useList } from "#kit/web/queries.tsx";
import type { Column } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { usePage } from "#kit/web/ui/Paging.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";

const columns: Column<Check>[] = [
  {
    heading: "Number",
    cell: ({ id, checkNumber }) => <Link to={`/admin/checks/${id}`}>{checkNumber}</Link>,
  },
  { heading: "Received", nowrap: true, cell: ({ receivedOn }) => <DayText on={receivedOn} /> },
  { heading: "Amount", amount: true, cell: ({ amount }) => <Money amount={amount} /> },
  {
    heading: "For",
    cell: ({ shares, credits }) =>
      [...new Set([...shares, ...credits].map(({ attorneyName }) => attorneyName))].join(", "),
  },
  {
    heading: "Status",
    cell: ({ status }) => <CheckStatus status={status} />,
  },
];

/** A firm's checks, newest first. */
export function FirmChecks({ firmId }: { firmId: number }) {
  const list = useList(endpointQuery(listChecks, { query: { ...usePage(20), firm_id: firmId } }));
  return (
    <>
      <PagedTable
        list={list}
        caption="Checks"
        columns={columns}
        keyOf={(check) => check.id}
        empty={
          <EmptyState title="No checks yet">
            The firm can pay for several of its attorneys with one check.
          </EmptyState>
        }
      />
    </>
  );
}
