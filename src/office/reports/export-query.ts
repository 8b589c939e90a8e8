import { type RawBuilder, sql } from "kysely";
import pg from "pg";
import type { Db } from "#kit/db/database.ts";
import { disableNestedLoops } from "#kit/db/planner-settings.ts";
import type { ExportChoices } from "#office/reports/choices.ts";
import { rewriteLines } from "#office/reports/csv-text.ts";
import { type ExportContext, type ExportDefinition, type ExportNetwork } from "#kit/list/report.ts";
import { sqlOf } from "#kit/list/list-context.ts";
import type { Filters } from "#kit/list/define-list.ts";
import { exportType } from "#kit/list/offered-reports.ts";

/** The statements of one export. */
export interface ExportQuery {
  /** The header row's cells, in the type's own order. */
  labels: string[];
  /** `copy (…) to stdout (format csv)`: one statement, so one consistent state. */
  copy: string;
  /** A copied piece with its codes reworded. */
  inWords(piece: Buffer): Buffer;
  /** The expected number of rows, unless they change. */
  countRows(): Promise<number>;
}

/** Throws a RangeError for a type that this version does not have. */
export function exportQuery(db: Db, choices: ExportChoices, network: ExportNetwork): ExportQuery {
  const context: ExportContext = {
    ...network,
    lastOn: choices.lastOn ?? network.today,
    filters: choices.filters ?? {},
  };
  const type = exportType(choices.reportType);
  if (!type) throw new RangeError(`There is no longer a report type ${choices.reportType}.`);
  const columns = type.columns.filter((column) => choices.columns.includes(column.value));
  const cells = columns.map((column) => sql`(${sqlOf(column.cell, context)})`);
  const rows = sql`${sqlOf(type.rows, context)} ${filtersOf(type, choices, context)}`;
  return {
    labels: columns.map((column) => column.label),
    copy: `copy (${inlineParameters(db, sql`select ${sql.join(cells)} ${rows} order by ${type.order}`)}) to stdout (format csv)`,
    inWords: (piece) =>
      columns.some(({ words }) => words)
        ? rewriteLines(piece, (cell, at) => columns[at]?.words?.(cell, context))
        : piece,
    countRows: async () => {
      return await db.transaction().execute(async (tx) => {
        // No parallel workers: the count runs beside the copy and would slow down everybody's requests.
        await sql`set local max_parallel_workers_per_gather = 0`.execute(tx);
        if (joinsWholeSets(choices)) await disableNestedLoops(tx);
        const { rows: counted } = await sql<{ count: number }>`select count(*) ${rows}`.execute(tx);
        return counted[0]?.count ?? 0;
      });
    },
  };
}

/** True except for one attorney's exports, which read few rows by index. */
export const joinsWholeSets = ({ attorneyId }: ExportChoices): boolean => attorneyId === null;

function filtersOf(
  type: ExportDefinition,
  choices: ExportChoices,
  context: ExportContext,
): RawBuilder<unknown> {
  const { attorneyId, firstOn, lastOn, filters: listed } = choices;
  const ofAttorney =
    attorneyId !== null && type.attorneyId ? sql`and ${type.attorneyId} = ${attorneyId}` : sql``;
  const whose = sql`${ofAttorney} and ${listCondition(type, listed, context)}`;
  const mode = type.timeFilterModes.find(({ value }) => value === choices.timeFilterMode);
  const filters = mode?.filters ?? type.created;
  if (!filters || firstOn === null || lastOn === null) return whose;
  if ("day" in filters)
    return sql`${whose} and ${filters.day} between ${firstOn}::date and ${lastOn}::date`;
  const midnight = (day: RawBuilder<unknown>) =>
    sql`(${day})::timestamp at time zone ${context.timeZone}`;
  return sql`${whose} and ${filters.instant} >= ${midnight(sql`${firstOn}::date`)}
    and ${filters.instant} < ${midnight(sql`${lastOn}::date + 1`)}`;
}

function listCondition(type: ExportDefinition, listed: Filters | null, context: ExportContext) {
  if (listed !== null && type.ofList) return type.ofList.condition(context, listed);
  return type.usually ? sqlOf(type.usually, context) : sql`true`;
}

/** COPY takes no parameters, so they are written into the statement as quoted literals. */
function inlineParameters(db: Db, query: RawBuilder<unknown>): string {
  const compiled = query.compile(db);
  const nulls = compiled.parameters.map((value) => value === null);
  return compiled.sql.replace(/\$(\d+)/g, (_, number: string) => {
    const at = Number(number) - 1;
    return nulls[at] ? "null" : pg.escapeLiteral(String(compiled.parameters[at]));
  });
}
