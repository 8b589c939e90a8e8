import { useState } from "react";
import { Link } from "react-router";
import { listed } from "#features/lists/shapes.ts";
import { ListTools } from "#list/ListTools.tsx";
import { NothingListed } from "#list/NothingListed.tsx";
import { useAddressFilters } from "#web/address-filters.tsx";
import { useListPages } from "#web/list-pages.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { Button } from "#web/ui/Button.tsx";
import { SelectField } from "#web/ui/ChoiceField.tsx";
import { ChosenBar } from "#web/ui/ChosenBar.tsx";
import { type Column, DataTable, totalWords } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Filters, Muted, Stack } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import { Paging } from "#web/ui/Paging.tsx";
import { SearchField } from "#web/ui/SearchField.tsx";
import { useSort } from "#web/ui/sort.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { useTicks } from "#web/ui/ticks.tsx";
import {
  enrolmentColumns,
  enrolmentStates,
  listPlanEnrolments,
  type PlanEnrolment,
  type PlanRecord,
} from "./contract.ts";
import { EndEnrolmentsDialog } from "./EndEnrolmentsDialog.tsx";
import { enrolments } from "./UndoSubscribeAll.tsx";

const stateOptions = [
  { value: "active", label: "Enrolled" },
  { value: "ended", label: "Ended" },
] as const;

/** Who is enrolled in a plan, or was; several enrolments can be ended at once. */
export function PlanEnrolments({ plan }: { plan: PlanRecord }) {
  const { search, state, choose } = useFilters();
  const [isEnding, setEnding] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const sort = useSort(enrolmentColumns);
  const list = useListPages((page) =>
    endpointQuery(listPlanEnrolments, {
      params: { id: plan.id },
      query: { ...page, search, state, sort: sort.by },
    }),
  );
  const totals = list.data?.totals;
  const rows = list.data?.items;
  const isActive = state === "active";
  const ticks = useTicks({
    rows,
    keyOf: ({ id }) => id,
    nameOf: ({ attorneyName }) => attorneyName,
    canTick: () => isActive,
  });
  const columns: Column<PlanEnrolment>[] = [
    {
      heading: "Attorney",
      sort: "attorney",
      total: list.data && totalWords(list.data.total, "enrolment"),
      cell: ({ attorneyId, attorneyName, note }) => (
        <Stack gap={4}>
          <Link to={`/admin/attorneys/${attorneyId}`}>{attorneyName}</Link>
          {note && <Muted small>{note}</Muted>}
        </Stack>
      ),
    },
    {
      heading: "Since",
      sort: "since",
      nowrap: true,
      cell: ({ startDate }) => <DayText on={startDate} />,
    },
    isActive
      ? {
          heading: "Next bill",
          nowrap: true,
          cell: ({ nextBillingDate }) => nextBillingDate && <DayText on={nextBillingDate} />,
        }
      : {
          heading: "Ended",
          sort: "ended",
          sortsDown: true,
          nowrap: true,
          cell: ({ endedAt }) => endedAt && <DayText on={endedAt} />,
        },
    {
      heading: "Billed",
      sort: "billed",
      amount: true,
      cell: ({ billed }) => <Money amount={billed} />,
      total: totals && <Money amount={totals.billed} />,
    },
    {
      heading: "Owed",
      sort: "owed",
      amount: true,
      cell: ({ owed }) => <Money amount={owed} />,
      total: totals && <Money amount={totals.owed} />,
    },
  ];
  return (
    <Stack>
      <Filters>
        <SearchField
          label="Search lawyers"
          value={search}
          onSearch={(text) => choose("search", text)}
        />
        <SelectField
          label="Enrolment"
          error={undefined}
          options={stateOptions}
          value={state}
          onChange={(value) => {
            ticks.clear();
            choose("state", value);
          }}
        />
      </Filters>
      <ListTools
        list={listed("enrolments")}
        filters={{ plan_id: plan.id, state, search }}
        names={{ plan_id: plan.name }}
        printing={list.printing}
      />
      <DataTable
        caption="Lawyers"
        sort={sort}
        captionHidden
        columns={columns}
        rows={rows}
        keyOf={(row) => row.id}
        {...(isActive && { ticks })}
        empty={
          <NothingListed
            total={list.data?.total}
            isFiltered={false}
            path={`/admin/plans/${plan.id}${isActive ? "" : "?state=ended"}`}
            things="enrolments"
          >
            <NothingFound isSearched={search !== ""} isActive={isActive} />
          </NothingListed>
        }
        pending={list.isFetching}
        stale={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
      />
      <Paging list={list.data} />
      <ChosenBar ticks={ticks} done={done}>
        <Button kind="danger" pending={false} onClick={() => setEnding(true)}>
          {`End ${enrolments(ticks.chosen.length)}`}
        </Button>
      </ChosenBar>
      {isEnding && (
        <EndEnrolmentsDialog
          plan={plan}
          chosen={ticks.chosen}
          onClose={() => setEnding(false)}
          onDone={(result) => {
            setEnding(false);
            ticks.clear();
            setDone(result);
          }}
        />
      )}
    </Stack>
  );
}

function NothingFound({ isSearched, isActive }: { isSearched: boolean; isActive: boolean }) {
  if (isSearched)
    return (
      <EmptyState title="No lawyers match this search">
        The search looks for every word in names, email addresses, phone and bar numbers.
      </EmptyState>
    );
  return isActive ? (
    <EmptyState title="Nobody is enrolled">
      Subscribe all lawyers above, or one on the lawyer’s own page.
    </EmptyState>
  ) : (
    <EmptyState title="No enrolment has ended" />
  );
}

/** What the address filters by. */
function useFilters() {
  const { read, choose } = useAddressFilters<"search" | "state">();
  const asked = read("state");
  return {
    search: read("search"),
    state: enrolmentStates.find((state) => state === asked) ?? ("active" as const),
    choose: (name: "search" | "state", value: string) =>
      choose(name, name === "state" && value === "active" ? "" : value, { replace: true }),
  };
}
