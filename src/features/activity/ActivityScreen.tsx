import { listed } from "#features/lists/shapes.ts";
import { ListTools } from "#list/ListTools.tsx";
import { useFilterNames } from "#features/lists/use-filter-names.tsx";
import { useListPages } from "#web/list-pages.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { ButtonLink } from "#web/ui/Button.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { FirstPageLink, Paging } from "#web/ui/Paging.tsx";
import { useSort } from "#web/ui/sort.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { ActivityFilterFields } from "./ActivityFilterFields.tsx";
import { ActivityTable } from "./ActivityTable.tsx";
import { activityColumns, listActivity } from "./contract.ts";
import { useActivityFilters } from "./use-activity-filters.tsx";

/** Who changed what and when: every change by a person or a job. Source: domain rules §8. */
export function ActivityScreen() {
  const filters = useActivityFilters();
  const { who, type, record, attorney, from, to } = filters;
  const sort = useSort(activityColumns);
  const query = { who, record_type: type, record_id: record, attorney_id: attorney, from, to };
  const names = useFilterNames({ attorney_id: attorney });
  const list = useListPages((page) =>
    endpointQuery(listActivity, { query: { ...page, ...query, sort: sort.by } }),
  );
  return (
    <>
      <PageHeading title="Activity" />
      <ActivityFilterFields filters={filters} newest={list.data?.items[0]} />
      <ListTools list={listed("activity")} filters={query} names={names} printing={list.printing} />
      <ActivityTable
        sort={sort}
        caption="Activity"
        list={list}
        empty={<NothingFound isFiltered={filters.isFiltered} total={list.data?.total ?? 0} />}
      />
      <Paging list={list.data} />
    </>
  );
}

function NothingFound({ isFiltered, total }: { isFiltered: boolean; total: number }) {
  if (total > 0) {
    return <EmptyState title="There is nothing on this page" action={<FirstPageLink />} />;
  }
  if (!isFiltered) {
    return (
      <EmptyState title="Nothing has been changed yet">
        Every change of a record will stand here, with who made it and when.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No change matches these filters"
      action={<ButtonLink to="/admin/activity">Clear filters</ButtonLink>}
    />
  );
}
