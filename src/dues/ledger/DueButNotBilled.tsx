import { Link } from "react-router";
import { sum, zero } from "#kit/domain/money.ts";
import { PagedTable } from "#kit/list/PagedTable.tsx";
import { call } from "#kit/web/api.tsx";
import { useListPages } from "#kit/web/list-pages.tsx";
import type { Column } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { type DueButNotBilled as Missed, listDueButNotBilled } from "./contract.ts";

/** The most rows that the call returns. */
const maxListed = 1000;

/** Debits that billing should have created by today and has not. Empty unless something is wrong. */
export function DueButNotBilled() {
  const missed = useListPages(pageOfMissed);
  const columns: Column<Missed>[] = [
    {
      heading: "Attorney",
      cell: (due) => <Link to={`/admin/attorneys/${due.attorneyId}`}>{due.attorneyName}</Link>,
      total: "Total",
    },
    { heading: "Subscription", cell: (due) => due.name },
    { heading: "Due Date", cell: (due) => <DayText on={due.dueDate} /> },
    {
      heading: "Amount",
      amount: true,
      cell: (due) => <Money amount={due.amount} />,
      total: <Money amount={missed.data?.amount ?? zero} />,
    },
  ];
  return (
    <>
      {missed.data && missed.data.total > 0 && (
        <p>
          The next billing run bills these within the hour. If they are still here after that, tell
          your system administrator.
          {missed.data.total >= maxListed &&
            ` Only the ${maxListed.toLocaleString("en-US")} oldest are listed.`}
        </p>
      )}
      <PagedTable
        list={missed}
        caption="Due but not billed"
        columns={columns}
        keyOf={(due) => `${due.enrolmentId} ${due.dueDate}`}
        empty={
          <EmptyState title="Nothing is due but not billed">
            Everything due by today has been billed.
          </EmptyState>
        }
      />
    </>
  );
}

/** The call returns every row; pages are cut from them here. */
function pageOfMissed({ page, per_page: perPage }: { page: number; per_page: number }) {
  return {
    queryKey: [listDueButNotBilled.path, { page, perPage }],
    queryFn: async () => {
      const all = await call(listDueButNotBilled);
      const items = all.slice((page - 1) * perPage, page * perPage);
      return { items, total: all.length, page, perPage, amount: sum(all.map((due) => due.amount)) };
    },
  };
}
