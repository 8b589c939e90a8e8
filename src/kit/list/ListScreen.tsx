import type { ReactNode } from "react";
import type { z } from "zod";
import type { Endpoint } from "#kit/contract/endpoint.ts";
import type { Page } from "#kit/contract/page.ts";
import { cents } from "#kit/domain/money.ts";
import type {
  Column as Declared,
  Columns,
  FilterNames,
  Filters,
  FiltersOf,
  ListDeclaration,
  ListReport,
} from "#kit/list/define-list.ts";
import type { BulkActions } from "#kit/list/BulkActions.tsx";
import { FilterFields, type RecordOptions } from "#kit/list/FilterFields.tsx";
import { listToolsInfo } from "#kit/list/list-tools-info.ts";
import { ListTools } from "#kit/list/ListTools.tsx";
import { FilteredByRecord } from "#kit/list/FilteredByRecord.tsx";
import { PagedTable } from "#kit/list/PagedTable.tsx";
import { type ChosenFilters, useFilters } from "#kit/list/use-filters.tsx";
import { type ListPages, useListPages } from "#kit/web/list-pages.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { type Column, totalWords } from "#kit/web/ui/DataTable.tsx";
import { ButtonLink } from "#kit/web/ui/Button.tsx";
import { DayText, TimeText } from "#kit/web/ui/DayText.tsx";
import { Row } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { type Sort, type SortedValues, useSort } from "#kit/web/ui/sort.tsx";

/** `attorney_name` → `attorneyName`: a column's field in the call's rows. */
type Field<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Field<Rest>>}`
  : Name;

type Cell<Row> = (row: Row) => ReactNode;

/** How a table's cells are drawn. A column that is a field of the row is drawn by its kind unless a cell is given. */
type Cells<Screen, Row> = {
  [Name in keyof Screen & string as Field<Name> extends keyof Row ? never : Name]: Cell<Row>;
} & {
  [Name in keyof Screen & string as Field<Name> extends keyof Row ? Name : never]?: Cell<Row>;
};

/** The cells of a list, for rows of a call. */
export type CellsOf<List extends { screen: unknown }, Row> = Cells<List["screen"], Row>;

/** The answer of a list's call. */
interface Answer<Row> extends Page<Row> {
  totals?: object;
  /** For a list whose filters refer to records. */
  names?: FilterNames;
}

type Of<Screen> = ListDeclaration<Columns, FiltersOf, ListReport, Screen>;

/** A list that belongs to one record: what the call's path, the report's filters and the address say about it. */
interface Within {
  params: Record<string, number>;
  filters: Filters;
  path: string;
}

/** A list as the address asks for it: its filters, its order, and one page of rows. */
export function useListed<Screen, Row, A extends Answer<Row>>(
  list: Of<Screen>,
  endpoint: Endpoint<z.ZodType, z.ZodType, z.ZodType, z.ZodType<A & { items: Row[] }>>,
  within?: Within,
) {
  const of = within ? { ...list, path: within.path } : list;
  const params = within && { params: within.params };
  const chosen = useFilters(of.filters);
  const filters = {
    ...chosen,
    shown: { ...within?.filters, ...chosen.shown },
    // Back leaves the record's page.
    ...(within && { choose: (changes: Filters) => chosen.choose(changes, { replace: true }) }),
  };
  const sort = useSort(Object.values(of.columns).flatMap((column) => column.sort ?? []));
  const rows = useListPages(
    (page) =>
      endpointQuery(endpoint, { ...params, query: { ...page, ...filters.query, sort: sort.by } }),
    { rowsPerPage: of.rowsPerPage },
  );
  const showsSome = Object.values(of.filters).some(
    ({ field }) => field?.kind === "choice" && field.usual !== "",
  );
  /** No rows at all: nothing to search, sort or print. */
  const isEmpty =
    rows.data?.total === 0 && !rows.isPlaceholderData && !filters.isFiltered && !showsSome;
  return { of, filters, sort, rows, isEmpty };
}

interface ListPartProps<Screen, Row extends { id: number }, A> {
  listed: {
    of: Of<Screen>;
    filters: ChosenFilters<FiltersOf>;
    sort: Sort;
    rows: ListPages<A & { items: Row[] }>;
    isEmpty: boolean;
  };
  cells: Cells<Screen, Row>;
  /** The table's name, if it differs from the list's. */
  caption?: string;
  /** Cells of the totals row that are not their column's total. */
  totals?: { [Name in keyof Screen]?: (answer: A) => ReactNode };
  /** Actions on many rows, from `useBulkActions`. */
  bulk?: BulkActions<Row>;
  /** For filters that choose from a short list of records. */
  options?: Record<string, RecordOptions | undefined>;
  /** The text of "Export these" if the report has other rows than the list. */
  exported?: string;
  /** What the search looks in, shown when nothing matches. */
  hint?: string;
  /** Whether filters are why there are no rows, if not every filter in the address counts. */
  isFiltered?: boolean;
  /** Shown between the filters and the tools. */
  note?: ReactNode;
  /** Shown if there are no rows at all. */
  empty: ReactNode;
}

interface ListScreenProps<Screen, Row extends { id: number }, A> extends ListPartProps<
  Screen,
  Row,
  A
> {
  /** Shown beside the title, once the list has loaded. */
  about?: (answer: A) => ReactNode;
  /** The buttons beside the title. */
  actions?: ReactNode;
}

/** The screen of a declared list. */
export function ListScreen<
  Screen extends Record<string, string>,
  Row extends { id: number },
  A extends Answer<Row>,
>({ about, actions, ...props }: ListScreenProps<Screen, Row, A>) {
  const { of, rows } = props.listed;
  return (
    <>
      <PageHeading title={of.title} about={rows.data && about?.(rows.data)} actions={actions} />
      <ListPart {...props} />
    </>
  );
}

/** A list as part of a screen: its filters, tools, table and pages. */
export function ListPart<
  Screen extends Record<string, string>,
  Row extends { id: number },
  A extends Answer<Row>,
>(props: ListPartProps<Screen, Row, A>) {
  const { of, filters, sort, rows, isEmpty } = props.listed;
  const { ticks, bar } = props.bulk ?? {};
  const isTickable = ticks && (rows.data?.items.some(ticks.canTick) ?? true);
  const names: FilterNames = {
    ...namesAmong(props.options, filters.shown),
    ...(!rows.isPlaceholderData && rows.data?.names), // placeholder rows have the previous filters' names
  };
  return (
    <>
      {!isEmpty && (
        <FilterFields
          filters={of.filters}
          address={filters.address}
          names={names}
          options={props.options}
          choose={filters.choose}
        />
      )}
      {props.note}
      {!isEmpty && (
        <>
          <OnlyThese of={of} filters={filters} names={names} />
          <ListTools
            list={listToolsInfo(of)}
            filters={filters.shown}
            names={names}
            printing={rows.printing}
            exported={props.exported}
          />
        </>
      )}
      <PagedTable
        caption={props.caption ?? of.title}
        list={rows}
        columns={columnsOf(of, { ...props, shown: filters.shown }, rows.data)}
        keyOf={({ id }) => id}
        ticks={isTickable ? ticks : undefined}
        sort={sort}
        filtered={
          (props.isFiltered ?? filters.isFiltered)
            ? {
                things: `${of.thing}s`,
                path: of.path,
                hint: filters.shown["search"] === undefined ? undefined : props.hint,
              }
            : undefined
        }
        empty={props.empty}
      />
      {bar}
    </>
  );
}

/** The names of the chosen records, from the options that the screen offers. */
const namesAmong = (options: Record<string, RecordOptions | undefined> = {}, chosen: Filters) =>
  Object.fromEntries(
    Object.entries(options).flatMap(([filter, offered = []]) =>
      offered.flatMap((one) =>
        typeof one !== "string" && String(one.id) === chosen[filter] ? [[filter, one.name]] : [],
      ),
    ),
  );

interface OnlyTheseProps {
  of: Pick<ListDeclaration, "filters" | "path">;
  filters: ChosenFilters<FiltersOf>;
  names: FilterNames;
}

/** The filters from the address that have no field, with a button to clear them. */
function OnlyThese({ of, filters, names }: OnlyTheseProps) {
  const hidden = Object.entries(of.filters).filter(
    ([name, { field, inAddress }]) =>
      !field && inAddress !== false && filters.shown[name] !== undefined,
  );
  return hidden.map(([name, { of: kind, words }]) =>
    kind === undefined ? (
      <Row key={name}>
        <ButtonLink kind="quiet" small to={of.path}>
          Clear filters
        </ButtonLink>
      </Row>
    ) : (
      names[name] !== undefined && (
        <FilteredByRecord
          key={name}
          words={words(filters.shown[name] ?? "", names[name])}
          onClear={() => filters.choose({ [name]: "" })}
        />
      )
    ),
  );
}

/** The columns of a list's table. `shown`: the list's filters; `answer`: the page with the totals. */
export function columnsOf<Row, A extends Answer<Row>>(
  list: ListDeclaration,
  {
    shown,
    cells,
    totals,
  }: {
    shown: Filters;
    cells: Partial<Record<string, Cell<Row>>>;
    totals?: Partial<Record<string, (answer: A) => ReactNode>>;
  },
  answer: A | undefined,
): Column<Row>[] {
  return Object.entries(list.screen).flatMap(([name, heading], at) => {
    const column = list.columns[name];
    if (!column || heading === undefined) return [];
    const { kind, sort, sortsDown, wideOnly, actions, onlyWith } = column;
    if (onlyWith && !onlyWith(shown)) return [];
    const total = answer && (totals?.[name]?.(answer) ?? totalOf(column, answer));
    const count = answer && hasTotals(list) ? totalWords(answer.total, list.thing) : undefined;
    return [
      {
        heading,
        cell: cells[name] ?? ((row) => <ByKind column={column} value={valueIn(row, name)} />),
        amount: at > 0 && (kind === "money" || kind === "number"),
        nowrap: cells[name] === undefined && (kind === "day" || kind === "day-of"),
        sort,
        sortsDown,
        values: sortedValues[kind],
        wideOnly,
        actions,
        total: at === 0 ? count : total,
      },
    ];
  });
}

const sortedValues: Partial<Record<Declared["kind"], SortedValues>> = {
  money: "numbers",
  number: "numbers",
  day: "dates",
  "day-of": "dates",
  "time-of": "dates",
};

const hasTotals = ({ columns }: ListDeclaration) =>
  Object.values(columns).some(({ total }) => total !== undefined);

function totalOf({ total, kind }: Declared, { totals }: Answer<unknown>): ReactNode {
  if (total === undefined) return undefined;
  const sum = (totals as Record<string, number> | undefined)?.[total]; // as in the call's contract
  if (sum === undefined) return undefined;
  return kind === "money" ? <Money amount={cents(sum)} /> : sum.toLocaleString("en-US");
}

/** By the name that `Field` derives. */
function valueIn(row: unknown, name: string): unknown {
  const field = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return (row as Record<string, unknown>)[field]; // the types require a cell for other columns
}

function ByKind({ column, value }: { column: Declared; value: unknown }): ReactNode {
  const { kind, words } = column;
  if (kind === "money" && typeof value === "number") return <Money amount={cents(value)} />;
  if (typeof value === "number") return value.toLocaleString("en-US");
  if (typeof value !== "string") return null;
  if (kind === "day" || kind === "day-of") return <DayText on={value} />;
  return kind === "time-of" ? <TimeText at={value} /> : (words?.[value] ?? value);
}
