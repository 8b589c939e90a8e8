import type { ReactNode } from "react";
import type { Page } from "#kit/contract/page.ts";
import type { List } from "#kit/web/queries.tsx";
import { ButtonLink } from "#kit/web/ui/Button.tsx";
import { DataTable, type DataTableProps } from "#kit/web/ui/DataTable.tsx";
import { FirstPageLink, Paging } from "#kit/web/ui/Paging.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";

interface PagedTableProps<Row> extends Pick<
  DataTableProps<Row>,
  "caption" | "columns" | "ticks" | "sort"
> {
  list: List<Page<Row>>;
  keyOf: DataTableProps<Row>["keyOf"];
  /** Filters are why there are no rows: of "payments", whose address without filters is this. */
  filtered?: Filtered | undefined;
  /** Where there are none at all. */
  empty: ReactNode;
  /** Below the table, in place of the links to other pages. */
  end?: ReactNode;
}

interface Filtered {
  things: string;
  path: string;
  /** What the search looks for, where none match. */
  hint?: string | undefined;
}

/** A page of a list whose heading is above it, with the links to the others. */
export function PagedTable<Row>(props: PagedTableProps<Row>) {
  const { list, empty, filtered, end, ...table } = props;
  const { data, error, isFetching, isPlaceholderData, refetch } = list;
  return (
    <>
      <DataTable
        {...table}
        captionHidden
        rows={data?.items}
        empty={whyNone(data?.total, filtered) ?? empty}
        pending={isFetching}
        stale={isPlaceholderData}
        error={error}
        onRetry={() => void refetch()}
      />
      {end ?? <Paging list={data} />}
    </>
  );
}

/** A page beyond the last, or filters that match none; null: there are none at all. */
function whyNone(total: number | undefined, filtered: Filtered | undefined): ReactNode {
  if (total) return <EmptyState title="There is nothing on this page" action={<FirstPageLink />} />;
  if (!filtered) return null;
  const { things, path, hint } = filtered;
  return (
    <EmptyState
      title={`No ${things} match these filters`}
      action={<ButtonLink to={path}>Clear filters</ButtonLink>}
    >
      {hint}
    </EmptyState>
  );
}
