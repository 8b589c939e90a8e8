import { useId } from "react";
import { useSearchParams } from "react-router";
import css from "./sort.module.css";

/** A list's order, stored in the address, and how to change it. */
export interface Sort {
  /** A column's `sort`, with a minus for descending; undefined: the list's default order. */
  by: string | undefined;
  choose: (by: string | undefined) => void;
}

/** The order in the address. Changing it goes back to page 1. `columns`: the columns that can be sorted. */
export function useSort<Column extends string>(columns: readonly Column[]) {
  const [address, setAddress] = useSearchParams();
  const asked = address.get("sort") ?? "";
  const by = columns
    .flatMap((column) => [column, `-${column}`] as const)
    .find((choice) => choice === asked);
  const choose = (wanted: string | undefined) =>
    setAddress((before) => {
      const next = new URLSearchParams(before);
      next.delete("page");
      if (wanted === undefined) next.delete("sort");
      else next.set("sort", wanted);
      return next;
    });
  return { by, choose };
}

interface SortableColumn {
  heading: string;
  sort?: string;
  /** Starts with the largest. */
  amount?: boolean;
  sortsDown?: boolean;
  values?: SortedValues | undefined;
}

/** What a column's values are, for the words of its order. Default: text. */
export type SortedValues = "numbers" | "dates";

const ascendingWords = ({ amount, values }: SortableColumn): string =>
  amount || values === "numbers"
    ? "smallest first"
    : values === "dates"
      ? "oldest first"
      : "A to Z";

const descendingWords = ({ amount, values }: SortableColumn): string =>
  amount || values === "numbers" ? "largest first" : values === "dates" ? "newest first" : "Z to A";

const nextOf = (column: SortableColumn, by: string | undefined): string => {
  const up = column.sort ?? "";
  const down = `-${up}`;
  if (by === up) return down;
  if (by === down) return up;
  return column.amount || column.sortsDown ? down : up;
};

/** For a `th`. */
export const ariaSort = (column: SortableColumn, by: string | undefined) => {
  if (column.sort === undefined) return undefined;
  if (by === column.sort) return "ascending";
  return by === `-${column.sort}` ? "descending" : undefined;
};

/** A heading that sorts its list by its column, and reverses the order when pressed again. */
export function SortHeading({ column, sort }: { column: SortableColumn; sort: Sort }) {
  const order = ariaSort(column, sort.by);
  const mark = order === "descending" ? "↓" : "↑";
  return (
    <button
      type="button"
      className={css["heading"]}
      data-amount={column.amount}
      onClick={() => sort.choose(nextOf(column, sort.by))}
    >
      {column.heading}
      <span aria-hidden="true" className={css["mark"]} data-shown={order !== undefined}>
        {mark}
      </span>
    </button>
  );
}

/** On a phone, where cards have no headings to press: a field above them. */
export function SortField({ columns, sort }: { columns: readonly SortableColumn[]; sort: Sort }) {
  const id = useId();
  return (
    <div className={css["field"]}>
      <label htmlFor={id}>Sort by</label>
      <select
        id={id}
        value={sort.by ?? ""}
        onChange={(event) => sort.choose(event.target.value || undefined)}
      >
        <option value="">Default order</option>
        {columns.flatMap((column) =>
          column.sort === undefined
            ? []
            : [
                <option key={column.sort} value={column.sort}>
                  {`${column.heading}, ${ascendingWords(column)}`}
                </option>,
                <option key={`-${column.sort}`} value={`-${column.sort}`}>
                  {`${column.heading}, ${descendingWords(column)}`}
                </option>,
              ],
        )}
      </select>
    </div>
  );
}
