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
import { listedAs } from "#kit/list/listed-as.ts";
import { ListTools } from "#kit/list/ListTools.tsx";
import { OnlyOf } from "#kit/list/OnlyOf.tsx";
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
import { type Sort, useSort } from "#kit/web/ui/sort.tsx";

/** `attorney_name` → `attorneyName`: a column's field in the call's rows. */
type Field<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Field<Rest>>}`
  : Name;

type Cell<Row> = (row: Row) => ReactNode;

/** What draws the cells of a table. A column whose field a row has is drawn by its kind unless one is given. */
type Cells<Screen, Row> = {
  [Name in keyof Screen & string as Field<Name> extends keyof Row ? never : Name]: Cell<Row>;
} & {
  [Name in keyof Screen & string as Field<Name> extends keyof Row ? Name : never]?: Cell<Row>;
};

/** The same of a list, for rows of a call. */
export type CellsOf<List extends { screen: unknown }, Row> = Cells<List["screen"], Row>;

/** The answer of a list's call. */
interface Answer<Row> extends Page<Row> {
  totals?: object;
  /** Of a list whose filters name records. */
  names?: FilterNames;
}

type Of<Screen> = ListDeclaration<Columns, FiltersOf, ListReport, Screen>;

/** A list that is a record's: what its call's path and its report's filters say of that, and the address. */
interface Within {
  params: Record<string, number>;
  filters: Filters;
  path: string;
}

/** A list as the address asks for it: its filters, its order, and the rows of a page. */
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
  /** There are none at all: nothing to find, sort or print. */
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
  /** The table's name, where the part of the screen has another one than the list. */
  caption?: string;
  /** The cells of the totals row that are no sum of their column. */
  totals?: { [Name in keyof Screen]?: (answer: A) => ReactNode };
  /** What can be done with many rows at once: of `useBulkActions`. */
  bulk?: BulkActions<Row>;
  /** Where a filter's records are chosen from a short list. */
  options?: Record<string, RecordOptions | undefined>;
  /** What "Export these" says where the report has other rows than the list. */
  exported?: string;
  /** What the search looks for, where nothing matches. */
  hint?: string;
  /** Whether filters are why there are no rows, where not every one in the address is. */
  isFiltered?: boolean;
  /** Between the filters and the tools. */
  note?: ReactNode;
  /** Where there are no rows at all. */
  empty: ReactNode;
}

interface ListScreenProps<Screen, Row extends { id: number }, A> extends ListPartProps<
  Screen,
  Row,
  A
> {
  /** Beside the title, once the list has come. */
  about?: (answer: A) => ReactNode;
  /** The buttons beside the title. */
  actions?: ReactNode;
}

/** A screen for a list, as it is declared. */
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

/** A list as a part of a screen: its filters, tools, table and pages. */
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
    ...(!rows.isPlaceholderData && rows.data?.names), // those of before name others
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
            list={listedAs(of)}
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

/** The names of what is chosen of what the screen offers. */
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

/** What an address has filtered the list by that no field shows, and the way to all rows. */
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
        <OnlyOf
          key={name}
          words={words(filters.shown[name] ?? "", names[name])}
          onClear={() => filters.choose({ [name]: "" })}
        />
      )
    ),
  );
}

/** The columns of a list's table. `shown`: what the list is filtered by; `answer`: what has their sums. */
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
        wideOnly,
        actions,
        total: at === 0 ? count : total,
      },
    ];
  });
}

const hasTotals = ({ columns }: ListDeclaration) =>
  Object.values(columns).some(({ total }) => total !== undefined);

function totalOf({ total, kind }: Declared, { totals }: Answer<unknown>): ReactNode {
  if (total === undefined) return undefined;
  const sum = (totals as Record<string, number> | undefined)?.[total]; // as the call's contract has it
  if (sum === undefined) return undefined;
  return kind === "money" ? <Money amount={cents(sum)} /> : sum.toLocaleString("en-US");
}

/** By the name that `Field` makes of it. */
function valueIn(row: unknown, name: string): unknown {
  const field = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return (row as Record<string, unknown>)[field]; // the types ask for a cell where there is none
}

function ByKind({ column, value }: { column: Declared; value: unknown }): ReactNode {
  const { kind, words } = column;
  if (kind === "money" && typeof value === "number") return <Money amount={cents(value)} />;
  if (typeof value === "number") return value.toLocaleString("en-US");
  if (typeof value !== "string") return null;
  if (kind === "day" || kind === "day-of") return <DayText on={value} />;
  return kind === "time-of" ? <TimeText at={value} /> : (words?.[value] ?? value);
}
