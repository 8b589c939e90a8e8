import { useState } from "react";
import { useSearchParams } from "react-router";
import { endpointQuery, useList } from "#web/queries.tsx";
import { Button, ButtonLink } from "#web/ui/Button.tsx";
import { SelectField } from "#web/ui/ChoiceField.tsx";
import { Filters, Row } from "#web/ui/layout.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { Paging, usePage } from "#web/ui/Paging.tsx";
import { SearchField } from "#web/ui/SearchField.tsx";
import { AddAttorneyDialog } from "./AddAttorneyDialog.tsx";
import { AttorneysTable } from "./AttorneysTable.tsx";
import { attorneyStatuses, listAttorneys } from "./contract.ts";

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
  const [isAdding, setAdding] = useState(false);
  const list = useList(
    endpointQuery(listAttorneys, { query: { ...usePage(), search, status: status || undefined } }),
  );
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
      <PageHeading title="Attorneys" actions={!isPanelEmpty && waysIn} />
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
      <AttorneysTable list={list} isPanelEmpty={isPanelEmpty} addActions={waysIn} />
      <Paging list={list.data} />
      {isAdding && <AddAttorneyDialog onClose={() => setAdding(false)} />}
    </>
  );
}

/** What the address filters by. Another filter begins at the first page again. */
function useFilters() {
  const [address, setAddress] = useSearchParams();
  const asked = address.get("status");
  return {
    search: address.get("search") ?? "",
    status: attorneyStatuses.find((status) => status === asked) ?? ("" as const),
    choose: (name: "search" | "status", value: string, options?: { replace: boolean }) =>
      setAddress((before) => {
        const next = new URLSearchParams(before);
        next.delete("page");
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      }, options),
  };
}
