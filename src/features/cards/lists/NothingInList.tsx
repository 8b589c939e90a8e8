import type { ReactNode } from "react";
import { NothingListed } from "#list/NothingListed.tsx";

interface NothingInListProps {
  /** Undefined until it has come. */
  total: number | undefined;
  /** Where there are none at all. */
  children: ReactNode;
}

/** Why one of the lists of card payments shows no rows. */
export function NothingInList({ total, children }: NothingInListProps) {
  return (
    <NothingListed
      total={total}
      isFiltered={false}
      path="/admin/card-payments"
      things="card payments"
    >
      {children}
    </NothingListed>
  );
}
