import type { ReactNode } from "react";
import css from "./DataTable.module.css";
import { VisuallyHidden } from "./layout.tsx";
import { ariaSort, type Sort, SortField, SortHeading } from "./sort.tsx";
import { ErrorState } from "./states.tsx";
import { TickAll, type Ticks, TickRow, useRangeOfTicks } from "./ticks.tsx";

export interface Column<Row> {
  /** The words of the heading; on a phone, the label of the value. */
  heading: string;
  cell: (row: Row) => ReactNode;
  /** Right-aligned, in digits of equal width. */
  amount?: boolean;
  /** Never breaks its lines: dates, and what belongs to them. */
  nowrap?: boolean;
  /** Left out of a table in a window of at most 1,152 px; a phone's cards and paper have it. */
  wideOnly?: boolean;
  /** Holds the row's buttons: at the end of the row, and not printed. */
  actions?: boolean;
  /** The column's cell in the totals row. */
  total?: ReactNode;
  /** The name by which the server sorts by this column. */
  sort?: string;
  /** Sorted from the latest first; amounts are sorted from the greatest first anyway. */
  sortsDown?: boolean;
}

/** The first cell of a totals row, which adds up all pages: "Total of 212 checks". */
export function totalWords(count: number, thing: string, things = `${thing}s`): string {
  return `Total of ${count.toLocaleString("en-US")} ${count === 1 ? thing : things}`;
}

export interface DataTableProps<Row> {
  /** What the table lists. */
  caption: string;
  /** Hide the caption from the eye where a heading above says the same. */
  captionHidden?: boolean;
  /** The first one names the row; it holds the link to the record. */
  columns: readonly Column<Row>[];
  /** Undefined until they have come. */
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => string | number;
  /** For doing something with many rows at once: a box before each that can be ticked. See `useTicks`. */
  ticks?: Ticks<Row>;
  /** The order in the address, for columns with a `sort`. See `useSort`. */
  sort?: Sort;
  /** Shown in place of the table when there are no rows. */
  empty: ReactNode;
  /** Rows are on their way: `query.isFetching`. Old rows stay, dimmed when `stale`. */
  pending?: boolean;
  /** The rows shown are those of the page before: `list.isPlaceholderData`. */
  stale?: boolean;
  error?: Error | null;
  onRetry?: () => void;
}

/**
 * A list of records as a real table; on a phone each row becomes a short card. Shows one of: what
 * went wrong with a retry, above the rows of before if there are any; the frame while rows are on
 * their way; what is missing; or the rows.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, rows, empty, pending = false, error = null, onRetry = () => undefined } = props;
  const failed = rows ? "could not be brought up to date" : "could not be loaded";
  // The table has one place, with an error above it or without: elsewhere its cells would begin anew.
  return (
    <>
      {error && (
        <ErrorState
          title={`${caption} ${failed}`}
          error={error}
          onRetry={onRetry}
          pending={pending}
        />
      )}
      {(rows ?? !error) &&
        (rows?.length === 0 ? empty : <Table {...props} {...(error && { stale: false })} />)}
    </>
  );
}

function Table<Row>(props: DataTableProps<Row>) {
  const { caption, captionHidden, columns, rows, stale, ticks, sort } = props;
  const table = (
    <table
      className={`${css["table"]} ${css["cards"]} ${stale ? css["stale"] : ""} ${rows ? css["listed"] : ""}`}
      aria-busy={!rows || stale}
    >
      <caption className={captionHidden ? css["hidden"] : undefined}>
        {captionHidden ? <VisuallyHidden>{caption}</VisuallyHidden> : caption}
      </caption>
      <thead>
        <tr>
          {ticks && (
            <td className={css["tick"]}>
              <TickAll ticks={ticks} rows={rows ?? []} caption={caption} />
            </td>
          )}
          {columns.map((column) => (
            <th
              key={column.heading}
              scope="col"
              className={classOf(column)}
              aria-sort={ariaSort(column, sort?.by)}
            >
              {sort && column.sort !== undefined ? (
                <SortHeading column={column} sort={sort} />
              ) : (
                column.heading
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{rows ? <Rows {...props} rows={rows} /> : <Frame {...props} />}</tbody>
      {rows && columns.some((column) => column.total !== undefined) && <Totals {...props} />}
    </table>
  );
  return sort ? (
    <>
      <SortField columns={columns} sort={sort} />
      {table}
    </>
  ) : (
    table
  );
}

function Rows<Row>({
  rows,
  columns,
  keyOf,
  ticks,
}: DataTableProps<Row> & { rows: readonly Row[] }) {
  const [name, ...values] = columns;
  const rangeTo = useRangeOfTicks(rows, keyOf);
  return rows.map((row) => (
    <tr key={keyOf(row)}>
      {ticks && (
        <td className={css["tick"]}>
          <TickRow ticks={ticks} row={row} rangeTo={rangeTo} />
        </td>
      )}
      <th scope="row">{name?.cell(row)}</th>
      {values.map((column) => (
        <td key={column.heading} className={classOf(column)} data-label={column.heading}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  ));
}

/** Rows of the right height while the real ones are on their way. */
function Frame<Row>({ columns, ticks }: DataTableProps<Row>) {
  return [1, 2, 3].map((row) => (
    <tr key={row}>
      <td colSpan={columns.length + (ticks ? 1 : 0)}>
        <span className={css["bar"]}>Loading...</span>
      </td>
    </tr>
  ));
}

function Totals<Row>({ columns, ticks }: DataTableProps<Row>) {
  return (
    <tfoot>
      <tr>
        {columns.map((column, index) =>
          index === 0 ? (
            <th key={column.heading} scope="row" colSpan={ticks ? 2 : 1}>
              {column.total}
            </th>
          ) : (
            <td key={column.heading} className={classOf(column)} data-label={column.heading}>
              {column.total}
            </td>
          ),
        )}
      </tr>
    </tfoot>
  );
}

function classOf<Row>(column: Column<Row>): string {
  const { actions, amount, nowrap, wideOnly } = column;
  const kind = actions ? "actions" : amount ? "amount" : nowrap ? "nowrap" : undefined;
  return [kind, wideOnly ? "wideOnly" : undefined]
    .flatMap((name) => (name ? [css[name]] : []))
    .join(" ");
}
