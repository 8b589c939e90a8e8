import { Link } from "react-router";
import type { z } from "zod";
import { formatMoney } from "#domain/money.ts";
import { listed } from "#features/lists/shapes.ts";
import { ListTools } from "#list/ListTools.tsx";
import { NothingListed } from "#list/NothingListed.tsx";
import { OnlyOf } from "#list/OnlyOf.tsx";
import { useFilterNames } from "#features/lists/use-filter-names.tsx";
import { useListFilters } from "#features/lists/use-list-filters.tsx";
import { useListPages } from "#web/list-pages.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { useToday } from "#web/session.tsx";
import { SelectField } from "#web/ui/ChoiceField.tsx";
import { type Column, DataTable, totalWords } from "#web/ui/DataTable.tsx";
import { PeriodField } from "#web/ui/day-presets.tsx";
import { DayField } from "#web/ui/DayField.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Filters, Muted } from "#web/ui/layout.tsx";
import { Money } from "#web/ui/Money.tsx";
import { Sums } from "#web/ui/Sums.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { Paging } from "#web/ui/Paging.tsx";
import { SearchField } from "#web/ui/SearchField.tsx";
import { useSort } from "#web/ui/sort.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import {
  listPayments,
  type Payment,
  paymentColumns,
  paymentFilters,
  paymentMethods,
} from "./contract.ts";
import { methodWords } from "./method-words.tsx";
import { PaymentStatus, paymentFilterWord } from "./PaymentStatus.tsx";
import { ReceiptLink } from "./ReceiptLink.tsx";

const methodOptions = [
  { value: "", label: "All" },
  { value: "check", label: "Check" },
  { value: "online", label: "Card" },
] as const;

const statusOptions = [
  { value: "", label: "All" },
  ...paymentFilters.map((status) => ({ value: status, label: paymentFilterWord(status) })),
] as const;

const filterNames = ["search", "method", "status", "attorney_id", "from", "to"] as const;

/** All payments, by card and by check, the newest first. */
export function PaymentsScreen() {
  const filters = useListFilters(filterNames);
  const sort = useSort(paymentColumns);
  const query = {
    search: filters.read("search"),
    method: filters.readChoice("method", paymentMethods),
    status: filters.readChoice("status", paymentFilters),
    attorney_id: filters.readId("attorney_id"),
    from: filters.readDay("from"),
    to: filters.readDay("to"),
  };
  const list = useListPages((page) =>
    endpointQuery(listPayments, { query: { ...page, ...query, sort: sort.by } }),
  );
  const names = useFilterNames({ attorney_id: query.attorney_id });
  return (
    <>
      <PageHeading title="Payments" />
      <PaymentFilterFields query={query} choose={filters.choose} />
      <OnlyOf name={names.attorney_id} onClear={() => filters.choose({ attorney_id: "" })} />
      <ListTools list={listed("payments")} filters={query} names={names} printing={list.printing} />
      <DataTable
        caption="Payments"
        captionHidden
        columns={columnsFor(list.data)}
        rows={list.data?.items}
        keyOf={({ id }) => id}
        sort={sort}
        empty={
          <NothingListed
            total={list.data?.total}
            isFiltered={filters.isFiltered}
            path="/admin/payments"
            things="payments"
          >
            <EmptyState title="No payments yet">
              Checks that are recorded and cards that are charged stand here.
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

interface PaymentFilterFieldsProps {
  query: Partial<z.output<typeof listPayments.query>>;
  choose: (
    changes: Partial<Record<(typeof filterNames)[number], string>>,
    options?: { replace: boolean },
  ) => void;
}

function PaymentFilterFields({ query, choose }: PaymentFilterFieldsProps) {
  const { search = "", method = "", status = "", from, to } = query;
  const today = useToday();
  return (
    <Filters many>
      <SearchField
        label="Search by lawyer, number, card or amount"
        value={search}
        onSearch={(text) => choose({ search: text }, { replace: true })}
      />
      <SelectField
        label="Method"
        error={undefined}
        options={methodOptions}
        value={method}
        onChange={(chosen) => choose({ method: chosen })}
      />
      <SelectField
        label="Status"
        error={undefined}
        options={statusOptions}
        value={status}
        onChange={(chosen) => choose({ status: chosen })}
      />
      <PeriodField
        from={from}
        to={to}
        today={today}
        onChoose={(period) => choose({ from: period?.from ?? "", to: period?.to ?? "" })}
      />
      <DayField
        label="From"
        error={undefined}
        value={from ?? null}
        onChange={() => undefined}
        onSettled={(day) => choose({ from: day ?? "" })}
      />
      <DayField
        label="To"
        error={undefined}
        value={to ?? null}
        onChange={() => undefined}
        onSettled={(day) => choose({ to: day ?? "" })}
      />
    </Filters>
  );
}

const columnsFor = (list: z.output<typeof listPayments.object> | undefined): Column<Payment>[] => [
  {
    heading: "Attorney",
    sort: "attorney",
    cell: ({ attorneyId, attorneyName }) => (
      <Link to={`/admin/attorneys/${attorneyId}`}>{attorneyName}</Link>
    ),
    total: list && totalWords(list.total, "payment"),
  },
  {
    heading: "Paid by",
    sort: "method",
    cell: (payment) =>
      payment.checkId === null ? (
        methodWords(payment)
      ) : (
        <Link to={`/admin/checks/${payment.checkId}`}>{methodWords(payment)}</Link>
      ),
  },
  {
    heading: "Amount",
    sort: "amount",
    amount: true,
    cell: ({ amount }) => <Money amount={amount} />,
    total: list && <Sums parts={list.totals.parts} wordOf={paymentFilterWord} />,
  },
  {
    heading: "Status",
    sort: "status",
    cell: ({ status, denied }) => (
      <>
        <PaymentStatus status={status} />
        {denied > 0 && <Muted small> {formatMoney(denied)} denied</Muted>}
      </>
    ),
  },
  {
    heading: "Date",
    sort: "date",
    sortsDown: true,
    nowrap: true,
    cell: ({ createdAt }) => <DayText on={createdAt} />,
  },
  {
    heading: "Details",
    actions: true,
    cell: ({ id, attorneyName, status }) => (
      <ReceiptLink payment={{ paymentId: id, name: attorneyName, status }} />
    ),
  },
];
