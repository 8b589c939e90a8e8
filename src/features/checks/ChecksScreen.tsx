import { formatMoney } from "#domain/money.ts";
import { listed } from "#features/lists/shapes.ts";
import { ListTools } from "#list/ListTools.tsx";
import { useFilterNames } from "#features/lists/use-filter-names.tsx";
import { useListPages } from "#web/list-pages.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { ButtonLink } from "#web/ui/Button.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { Paging } from "#web/ui/Paging.tsx";
import { useSort } from "#web/ui/sort.tsx";
import { useTicks } from "#web/ui/ticks.tsx";
import { CheckFilterFields } from "./CheckFilterFields.tsx";
import { ChecksTable } from "./ChecksTable.tsx";
import { type Check, checkColumns, listChecks } from "./contract.ts";
import { DecideBar } from "./DecideBar.tsx";
import { useCheckFilters } from "./use-check-filters.tsx";

const isPending = ({ status }: Check) => status === "pending";

/** Received checks, those that wait for a decision first; many are approved or denied together. */
export function ChecksScreen() {
  const filters = useCheckFilters();
  const { search, status, from, to, attorneyId, firmId } = filters;
  const sort = useSort(checkColumns);
  const query = {
    search,
    status: status === "all" ? undefined : status,
    attorney_id: attorneyId,
    firm_id: firmId,
    from,
    to,
    deposited: filters.deposited || undefined,
  };
  const list = useListPages((page) =>
    endpointQuery(listChecks, { query: { ...page, ...query, sort: sort.by } }),
  );
  const names = useFilterNames({ attorney_id: attorneyId, firm_id: firmId });
  const ticks = useTicks({
    rows: list.data?.items,
    keyOf: ({ id }) => id,
    nameOf: ({ checkNumber, payer }) => `check ${checkNumber} of ${payer.name}`,
    canTick: isPending,
  });
  const pending = list.data?.pending;
  return (
    <>
      <PageHeading
        title="Checks"
        about={
          pending && (
            <>{`Pending ${pending.count.toLocaleString("en-US")} · ${formatMoney(pending.amount)}`}</>
          )
        }
        actions={
          <ButtonLink kind="primary" to="/admin/checks/new">
            Record a check
          </ButtonLink>
        }
      />
      <CheckFilterFields filters={filters} />
      <ListTools list={listed("checks")} filters={query} names={names} printing={list.printing} />
      <ChecksTable list={list} filters={filters} sort={sort} ticks={ticks} />
      <Paging list={list.data} />
      <DecideBar ticks={ticks} />
    </>
  );
}
