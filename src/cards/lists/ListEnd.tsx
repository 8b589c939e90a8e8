import { Muted } from "#kit/web/ui/layout.tsx";
import { Paging } from "#kit/web/ui/Paging.tsx";

interface ListEndProps {
  list: { page: number; perPage: number; total: number } | undefined;
  /** The one list on the page: it is turned over. */
  isAlone: boolean;
  /** Which of them stand there where several lists do. */
  first: "newest" | "oldest";
}

/** Below one of the lists of card payments: its pages, or how many more there are. */
export function ListEnd({ list, isAlone, first }: ListEndProps) {
  if (isAlone) return <Paging list={list} />;
  if (!list || list.total <= list.perPage) return null;
  return (
    <Muted small>{`The ${first} ${list.perPage} of ${list.total.toLocaleString("en-US")}.`}</Muted>
  );
}
