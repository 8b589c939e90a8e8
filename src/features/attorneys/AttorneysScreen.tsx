import { useState } from "react";
import { useAddDialog } from "#web/add-dialog.tsx";
import { useAddressFilters } from "#web/address-filters.tsx";
import { endpointQuery, useList } from "#web/queries.tsx";
import { Button, ButtonLink } from "#web/ui/Button.tsx";
import { SelectField } from "#web/ui/ChoiceField.tsx";
import { ChosenBar } from "#web/ui/ChosenBar.tsx";
import { Filters, Row } from "#web/ui/layout.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { Paging, usePage } from "#web/ui/Paging.tsx";
import { SearchField } from "#web/ui/SearchField.tsx";
import { type Ticks, useTicks } from "#web/ui/ticks.tsx";
import { AddAttorneyDialog } from "./AddAttorneyDialog.tsx";
import { AttorneysTable } from "./AttorneysTable.tsx";
import { ChargeDialog } from "./ChargeDialog.tsx";
import { type AttorneyRow, attorneyStatuses, listAttorneys } from "./contract.ts";

type Status = (typeof attorneyStatuses)[number];

const statusOptions = [
  { value: "", label: "All" },
  { value: "active", label: "Active" },
  { value: "paused", label: "On vacation" },
  { value: "suspended", label: "Suspended" },
] as const satisfies { value: "" | Status; label: string }[];

/** The panel: found by name, email, phone or bar number, and by status. */
export function AttorneysScreen() {
  const { search, status, choose } = useFilters();
  const [isAdding, setAdding] = useAddDialog();
  const [isCharging, setCharging] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const list = useList(
    endpointQuery(listAttorneys, { query: { ...usePage(), search, status: status || undefined } }),
  );
  const ticks = useTicks({
    rows: list.data?.items,
    keyOf: ({ id }) => id,
    nameOf: ({ name }) => name,
  });
  const charge = () => {
    setDone(null);
    setCharging(true);
  };
  const waysIn = (
    <Row>
      <ButtonLink to="/admin/attorneys/import">Import attorneys</ButtonLink>
      <Button kind="primary" pending={false} onClick={() => setAdding(true)}>
        Add an attorney
      </Button>
    </Row>
  );
  const isPanelEmpty = list.data?.total === 0 && search === "" && status === "";
  return (
    <>
      <PageHeading
        title="Attorneys"
        actions={
          !isPanelEmpty && (
            <Row>
              <Button pending={false} onClick={charge}>
                Charge attorneys
              </Button>
              {waysIn}
            </Row>
          )
        }
      />
      {!isPanelEmpty && (
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
        </Filters>
      )}
      <AttorneysTable list={list} ticks={ticks} isPanelEmpty={isPanelEmpty} addActions={waysIn} />
      <Paging list={list.data} />
      <ChosenAttorneys ticks={ticks} done={done} onCharge={charge} />
      {isAdding && <AddAttorneyDialog onClose={() => setAdding(false)} />}
      {isCharging && (
        <ChargeDialog
          chosen={ticks.chosen}
          onClose={() => setCharging(false)}
          onDone={(result) => {
            ticks.clear();
            setDone(result);
            setCharging(false);
          }}
        />
      )}
    </>
  );
}

/** What can be done for those that are ticked, and what was done. */
function ChosenAttorneys({ ticks, done, onCharge }: ChosenAttorneysProps) {
  const count = ticks.chosen.length;
  return (
    <ChosenBar ticks={ticks} done={done}>
      <Button pending={false} onClick={onCharge}>
        {`Charge ${count.toLocaleString("en-US")} ${count === 1 ? "attorney" : "attorneys"}`}
      </Button>
    </ChosenBar>
  );
}

interface ChosenAttorneysProps {
  ticks: Ticks<AttorneyRow>;
  done: string | null;
  onCharge: () => void;
}

/** What the address filters by. */
function useFilters() {
  const { read, choose } = useAddressFilters<"search" | "status">();
  const asked = read("status");
  return {
    search: read("search"),
    status: attorneyStatuses.find((status) => status === asked) ?? ("" as const),
    choose,
  };
}
