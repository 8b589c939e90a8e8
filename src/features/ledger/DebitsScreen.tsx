import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import type { z } from "zod";
import { type Day, daysBetween } from "#domain/day.ts";
import { RecordSelect } from "#features/choices/RecordSelect.tsx";
import { ListTools } from "#features/lists/ListTools.tsx";
import { NothingListed } from "#features/lists/NothingListed.tsx";
import { OnlyOf } from "#features/lists/OnlyOf.tsx";
import type { FilterNames } from "#features/lists/shapes.ts";
import { useFilterNames } from "#features/lists/use-filter-names.tsx";
import { useListFilters } from "#features/lists/use-list-filters.tsx";
import { listPlans } from "#features/subscriptions/contract.ts";
import { useListPages } from "#web/list-pages.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { useToday } from "#web/session.tsx";
import { SelectField } from "#web/ui/ChoiceField.tsx";
import { type Column, DataTable, totalWords } from "#web/ui/DataTable.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Filters, Muted, Stack } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { Paging } from "#web/ui/Paging.tsx";
import { SearchField } from "#web/ui/SearchField.tsx";
import { useSort } from "#web/ui/sort.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { debitColumns, type DebitOfAttorney, debitStates, listDebits } from "./contract.ts";

const stateOptions = [
  { value: "open", label: "Owed" },
  { value: "overdue", label: "Overdue" },
  { value: "paid", label: "Paid" },
] as const;

/** As the ages of what is owed are counted: 90 days still belong to 61–90. Another number comes from an address. */
const minDaysOptions = (chosen: number | undefined) => [
  { value: "", label: "Any time" },
  ...[...new Set([31, 61, 91, ...(chosen ? [chosen] : [])])].map((days) => ({
    value: String(days),
    label: `Over ${days - 1} days`,
  })),
];

const filterNames = ["search", "state", "min_days", "plan_id", "firm_id", "attorney_id"] as const;

/** All that is owed, the longest first; or what is paid. */
export function DebitsScreen() {
  const today = useToday();
  const filters = useListFilters(filterNames);
  const sort = useSort(debitColumns);
  const days = filters.readId("min_days");
  const query = {
    state: filters.readChoice("state", debitStates) ?? ("open" as const),
    min_days: days !== undefined && days <= 36_500 ? days : undefined,
    plan_id: filters.readId("plan_id"),
    firm_id: filters.readId("firm_id"),
    attorney_id: filters.readId("attorney_id"),
    search: filters.read("search") || undefined,
  };
  const list = useListPages((page) =>
    endpointQuery(listDebits, { query: { ...page, ...query, sort: sort.by } }),
  );
  const names = useFilterNames(query);
  return (
    <>
      <PageHeading title="Debits" />
      <DebitFilterFields query={query} names={names} choose={filters.choose} />
      <OnlyOf name={names.attorney_id} onClear={() => filters.choose({ attorney_id: "" })} />
      <ListTools list="debits" filters={query} names={names} printing={list.printing} />
      <DataTable
        caption="Debits"
        captionHidden
        columns={columnsFor(list.data, today)}
        rows={list.data?.items}
        keyOf={({ id }) => id}
        sort={sort}
        empty={
          <NothingListed
            total={list.data?.total}
            isFiltered={filters.isFiltered}
            path="/admin/debits"
            things="debits"
          >
            <EmptyState title="Nothing is owed">
              What subscriptions bill and attorneys are charged stands here until it is paid.
            </EmptyState>
          </NothingListed>
        }
        pending={list.isFetching}
        stale={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
      />
      <Paging list={list.data} />
    </>
  );
}

interface DebitFilterFieldsProps {
  query: Partial<z.output<typeof listDebits.query>>;
  names: FilterNames;
  choose: (
    changes: Partial<Record<(typeof filterNames)[number], string>>,
    options?: { replace: boolean },
  ) => void;
}

function DebitFilterFields({ query, names, choose }: DebitFilterFieldsProps) {
  const { search = "", state = "open", min_days, plan_id, firm_id } = query;
  const plans = useQuery(endpointQuery(listPlans));
  return (
    <Filters many>
      <SearchField
        label="Search by lawyer or subscription"
        value={search}
        onSearch={(text) => choose({ search: text }, { replace: true })}
      />
      <SelectField
        label="Status"
        error={undefined}
        options={stateOptions}
        value={state}
        onChange={(chosen) =>
          choose({
            state: chosen === "open" ? "" : chosen,
            ...(chosen === "paid" && { min_days: "" }),
          })
        }
      />
      {state !== "paid" && (
        <SelectField
          label="Overdue for"
          error={undefined}
          options={minDaysOptions(min_days)}
          value={String(min_days ?? "")}
          onChange={(chosen) => choose({ min_days: chosen })}
        />
      )}
      <SelectField
        label="Subscription"
        error={undefined}
        options={[
          { value: "", label: "All" },
          ...(plans.data ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        value={String(plan_id ?? "")}
        onChange={(chosen) => choose({ plan_id: chosen })}
      />
      <RecordSelect
        of="firms"
        label="Firm"
        error={undefined}
        placeholder="All"
        value={firm_id ? String(firm_id) : null}
        valueName={names.firm_id}
        onChange={(chosen) => choose({ firm_id: chosen ?? "" })}
      />
    </Filters>
  );
}

const columnsFor = (
  list: z.output<typeof listDebits.object> | undefined,
  today: Day,
): Column<DebitOfAttorney>[] => [
  {
    heading: "Attorney",
    sort: "attorney",
    cell: ({ attorneyId, attorneyName }) => (
      <Link to={`/admin/attorneys/${attorneyId}`}>{attorneyName}</Link>
    ),
    total: list && totalWords(list.total, "debit"),
  },
  {
    heading: "For",
    sort: "name",
    cell: ({ name, note }) => (
      <Stack gap={4}>
        <span>{name}</span>
        {note && <Muted small>{note}</Muted>}
      </Stack>
    ),
  },
  {
    heading: "Due",
    sort: "due",
    nowrap: true,
    cell: ({ dueDate }) => <DayText on={dueDate} />,
  },
  {
    heading: "Days overdue",
    amount: true,
    cell: ({ dueDate, balance }) =>
      balance > 0 && dueDate < today && daysBetween(dueDate, today).toLocaleString("en-US"),
  },
  {
    heading: "Amount",
    sort: "amount",
    amount: true,
    cell: ({ amount }) => <Money amount={amount} />,
    total: list && <Money amount={list.totals.amount} />,
  },
  {
    heading: "Owed",
    sort: "balance",
    amount: true,
    cell: ({ balance }) => <Money amount={balance} />,
    total: list && <Money amount={list.totals.balance} />,
  },
  {
    heading: "Of it pending",
    sort: "pending",
    amount: true,
    cell: ({ pending }) => <Money amount={pending} />,
    total: list && <Money amount={list.totals.pending} />,
  },
];
