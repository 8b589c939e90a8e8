import type { ReactNode } from "react";
import { useSearchParams } from "react-router";
import { NothingListed } from "#features/lists/NothingListed.tsx";

interface NothingInListProps {
  /** Undefined until it has come. */
  total: number | undefined;
  /** Where there are none at all. */
  children: ReactNode;
}

/** Why one of the lists of card payments shows no rows. The way to its first page keeps it alone, if it is. */
export function NothingInList({ total, children }: NothingInListProps) {
  const [address] = useSearchParams();
  const first = new URLSearchParams(address);
  first.delete("page");
  return (
    <NothingListed
      total={total}
      isFiltered={false}
      path={`/admin/card-payments?${first.toString()}`}
      things="card payments"
    >
      {children}
    </NothingListed>
  );
}
