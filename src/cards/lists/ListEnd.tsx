import { Muted } from "#kit/web/ui/layout.tsx";
import { Paging } from "#kit/web/ui/Paging.tsx";

interface ListEndProps {
  list: { page: number; perPage: number; total: number } | undefined;
  /** It is the only list on the page, so it has paging. */
  isAlone: boolean;
  /** Which rows are shown when the page has several lists. */
  first: "newest" | "oldest";
}

/** Below a list of card payments: its pages, or how many more there are. */
export function ListEnd({ list, isAlone, first }: ListEndProps) {
  if (isAlone) return <Paging list={list} />;
  if (!list || list.total <= list.perPage) return null;
  return (
    <Muted small>{`The ${first} ${list.perPage} of ${list.total.toLocaleString("en-US")}.`}</Muted>
  );
}
