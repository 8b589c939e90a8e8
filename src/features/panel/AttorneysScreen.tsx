import { useState } from "react";
import { listed } from "#features/lists/shapes.ts";
import { ListTools } from "#list/ListTools.tsx";
import { useFilterNames } from "#features/lists/use-filter-names.tsx";
import { useAddDialog } from "#web/add-dialog.tsx";
import { useListPages } from "#web/list-pages.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { Button, ButtonLink } from "#web/ui/Button.tsx";
import { Row } from "#web/ui/layout.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { Paging } from "#web/ui/Paging.tsx";
import { useSort } from "#web/ui/sort.tsx";
import { AddAttorneyDialog } from "#features/attorneys/AddAttorneyDialog.tsx";
import { AttorneyFilterFields } from "./AttorneyFilterFields.tsx";
import { AttorneysTable } from "./AttorneysTable.tsx";
import { type Action, ChosenActions } from "./ChosenActions.tsx";
import { listAttorneys, panelColumns } from "#features/attorneys/contract.ts";
import { useAttorneyFilters } from "./use-attorney-filters.tsx";
import { useChosenAttorneys } from "./use-chosen-attorneys.tsx";

/** The panel: found by name, email, phone or bar number, and filtered; much can be done for many at once. */
export function AttorneysScreen() {
  const { filters, isFiltered, choose } = useAttorneyFilters();
  const [isAdding, setAdding] = useAddDialog();
  const [action, setAction] = useState<Action | null>(null);
  const sort = useSort(panelColumns);
  const list = useListPages((page) =>
    endpointQuery(listAttorneys, { query: { ...page, ...filters, sort: sort.by } }),
  );
  const names = useFilterNames({ plan_id: filters.plan_id, firm_id: filters.firm_id });
  const chosen = useChosenAttorneys(list.data, filters);
  const waysIn = (
    <Row>
      <ButtonLink to="/admin/attorneys/import">Import attorneys</ButtonLink>
      <Button kind="primary" pending={false} onClick={() => setAdding(true)}>
        Add an attorney
      </Button>
    </Row>
  );
  const isPanelEmpty = list.data?.total === 0 && !isFiltered;
  return (
    <>
      <PageHeading
        title="Attorneys"
        actions={
          !isPanelEmpty && (
            <Row>
              <Button pending={false} onClick={() => setAction("charge")}>
                Charge attorneys
              </Button>
              {waysIn}
            </Row>
          )
        }
      />
      {(!isPanelEmpty || isFiltered) && (
        <>
          <AttorneyFilterFields filters={filters} names={names} choose={choose} />
          <ListTools
            list={listed("attorneys")}
            filters={filters}
            names={names}
            printing={list.printing}
          />
        </>
      )}
      <AttorneysTable
        list={list}
        ticks={chosen.ticks}
        sort={sort}
        isPanelEmpty={isPanelEmpty}
        addActions={waysIn}
      />
      <Paging list={list.data} />
      <ChosenActions chosen={chosen} action={action} onAction={setAction} />
      {isAdding && <AddAttorneyDialog onClose={() => setAdding(false)} />}
    </>
  );
}
