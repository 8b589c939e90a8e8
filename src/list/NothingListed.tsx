import type { ReactNode } from "react";
import { ButtonLink } from "#web/ui/Button.tsx";
import { FirstPageLink } from "#web/ui/Paging.tsx";
import { EmptyState } from "#web/ui/states.tsx";

interface NothingListedProps {
  /** Undefined until it has come. */
  total: number | undefined;
  isFiltered: boolean;
  /** The list's address without filters. */
  path: string;
  /** "payments" */
  things: string;
  /** What the search looks for, where none match. */
  hint?: string;
  /** Where there are none at all. */
  children: ReactNode;
}

/** Why a list shows no rows: a page beyond the last, filters that match none, or there are none. */
export function NothingListed(props: NothingListedProps) {
  const { total, isFiltered, path, things, hint, children } = props;
  if (total) return <EmptyState title="There is nothing on this page" action={<FirstPageLink />} />;
  if (isFiltered)
    return (
      <EmptyState
        title={`No ${things} match these filters`}
        action={<ButtonLink to={path}>Clear filters</ButtonLink>}
      >
        {hint}
      </EmptyState>
    );
  return children;
}
