import { RecordSelect } from "#list/RecordSelect.tsx";
import { listed } from "#features/lists/shapes.ts";
import { ListTools } from "#list/ListTools.tsx";
import { useFilterNames } from "#features/lists/use-filter-names.tsx";
import { useListPages } from "#web/list-pages.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { ButtonLink } from "#web/ui/Button.tsx";
import { SelectField } from "#web/ui/ChoiceField.tsx";
import { Filters, Row } from "#web/ui/layout.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { Paging } from "#web/ui/Paging.tsx";
import { SearchField } from "#web/ui/SearchField.tsx";
import { useSort } from "#web/ui/sort.tsx";
import { listMatters, matterColumns } from "./contract.ts";
import { statusOptions } from "./MatterStatus.tsx";
import { MattersTable } from "./MattersTable.tsx";
import { useMatterFilters } from "./use-matter-filters.tsx";

const addActions = (
  <Row>
    <ButtonLink to="/admin/matters/import">Import referrals</ButtonLink>
    <ButtonLink kind="primary" to="/admin/matters/new">
      Record a referral
    </ButtonLink>
  </Row>
);

/** The network's referrals: found by the client's name, phone or email, by status and attorney. */
export function MattersScreen() {
  const { search, status, attorney, choose } = useMatterFilters();
  const sort = useSort(matterColumns);
  const wanted = {
    search,
    status: status === "overdue" ? undefined : status || undefined,
    report: status === "overdue" ? status : undefined,
    attorney_id: attorney === null ? undefined : Number(attorney),
  };
  const list = useListPages((page) =>
    endpointQuery(listMatters, { query: { ...page, ...wanted, sort: sort.by } }),
  );
  const names = useFilterNames({ attorney_id: wanted.attorney_id });
  const isFiltered = search !== "" || status !== "" || attorney !== null;
  const isEmpty = list.data?.total === 0 && !isFiltered;
  return (
    <>
      <PageHeading title="Referrals" actions={!isEmpty && addActions} />
      {!isEmpty && (
        <Filters>
          <SearchField
            label="Search"
            value={search}
            onSearch={(text) => choose("search", text, { replace: true })}
          />
          <SelectField
            label="Status"
            error={undefined}
            options={statusOptions}
            value={status}
            onChange={(chosen) => choose("status", chosen)}
          />
          <RecordSelect
            of="attorneys"
            label="Attorney"
            placeholder="All"
            error={undefined}
            value={attorney}
            onChange={(chosen) => choose("attorney", chosen ?? "")}
          />
        </Filters>
      )}
      {!isEmpty && (
        <ListTools
          list={listed("matters")}
          filters={wanted}
          names={names}
          printing={list.printing}
        />
      )}
      <MattersTable list={list} sort={sort} isEmpty={isEmpty} addActions={addActions} />
      <Paging list={list.data} />
    </>
  );
}
