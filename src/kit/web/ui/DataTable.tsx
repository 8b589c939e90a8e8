import type { ReactNode } from "react";
import css from "./DataTable.module.css";
import { VisuallyHidden } from "./layout.tsx";
import { ariaSort, type Sort, SortField, SortHeading, type SortedValues } from "./sort.tsx";
import { ErrorState } from "./states.tsx";
import { TickAll, type Ticks, TickRow, useRangeOfTicks } from "./ticks.tsx";

export interface Column<Row> {
  /** The heading; on a phone, the label of the value. */
  heading: string;
  cell: (row: Row) => ReactNode;
  /** Right-aligned, in digits of equal width. */
  amount?: boolean;
  /** Never wraps, for dates and what belongs to them. */
  nowrap?: boolean;
  /** Hidden in windows of at most 1,152 px, but on a phone's cards and on paper. */
  wideOnly?: boolean;
  /** Holds the row's buttons, at the end of the row. Not printed. */
  actions?: boolean;
  /** The column's cell in the totals row. */
  total?: ReactNode;
  /** The name by which the server sorts this column. */
  sort?: string;
  /** Sorts newest first at the first press. Amounts always start with the largest. */
  sortsDown?: boolean;
  /** What the values are, for the words of the sort field. Default: text. */
  values?: SortedValues | undefined;
}

/** The first cell of a totals row, over all pages: "Total of 212 checks". */
export function totalWords(count: number, thing: string, things = `${thing}s`): string {
  return `Total of ${count.toLocaleString("en-US")} ${count === 1 ? thing : things}`;
}

export interface DataTableProps<Row> {
  /** What the table lists. */
  caption: string;
  /** Hide the caption visually if a heading above says the same. */
  captionHidden?: boolean;
  /** The first column names the row and holds the link to the record. */
  columns: readonly Column<Row>[];
  /** Undefined while loading. */
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => string | number;
  /** For actions on many rows: a checkbox before each row that can be ticked. See `useTicks`. */
  ticks?: Ticks<Row>;
  /** The order in the address, for columns with `sort`. See `useSort`. */
  sort?: Sort;
  /** Shown instead of the table when there are no rows. */
  empty: ReactNode;
  /** Rows are loading: `query.isFetching`. Old rows stay, dimmed when `stale`. */
  pending?: boolean;
  /** The rows belong to the previous page: `list.isPlaceholderData`. */
  stale?: boolean;
  error?: Error | null;
  onRetry?: () => void;
}

/**
 * A list of records as a real table; on a phone each row becomes a short card. Shows an error with a retry (above
 * any old rows), a placeholder while rows load, the empty state, or the rows.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, rows, empty, pending = false, error = null, onRetry = () => undefined } = props;
  const failed = rows ? "could not be refreshed" : "could not be loaded";
  // Keep the table in one place with or without an error, so that its cells keep their state.
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

/** Placeholder rows of the right height while loading. */
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
