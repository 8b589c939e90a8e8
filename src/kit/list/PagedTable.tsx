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
  /** Set if filters may be why there are no rows: what the list holds, and its address without filters. */
  filtered?: Filtered | undefined;
  /** Shown if there are no rows at all. */
  empty: ReactNode;
  /** Shown below the table instead of the page links. */
  end?: ReactNode;
}

interface Filtered {
  things: string;
  path: string;
  /** What the search looks in, shown when nothing matches. */
  hint?: string | undefined;
}

/** One page of a list, with links to the other pages. Its heading is above it. */
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

/** The empty state of a page past the last one, or of filters that match nothing; null if there are no rows at all. */
function whyNone(total: number | undefined, filtered: Filtered | undefined): ReactNode {
  if (total) return <EmptyState title="Nothing on this page" action={<FirstPageLink />} />;
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
