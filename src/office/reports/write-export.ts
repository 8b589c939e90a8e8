import type { ClientBase } from "pg";
import { copyOut } from "#kit/db/copy-out.ts";
import type { Db } from "#kit/db/database.ts";
import { bulkPlannerSettings } from "#kit/db/planner-settings.ts";
import type { ExportChoices } from "#office/reports/choices.ts";
import { csvHeader } from "#office/reports/csv-text.ts";
import type { ExportNetwork } from "#kit/list/report.ts";
import { type ExportQuery, exportQuery, joinsWholeSets } from "#office/reports/export-query.ts";

export interface WriteProgress {
  rows: number;
  /** Null until they are counted. */
  total: number | null;
}

export interface WriteExportOptions {
  /** For counting the rows, on the server that they are copied from. */
  db: Db;
  /** For copying the rows: its own connection, which the copy keeps busy. */
  client: ClientBase;
  choices: ExportChoices;
  context: ExportNetwork;
  write: (bytes: Buffer) => Promise<void>;
  onProgress: (written: WriteProgress) => void;
}

/**
 * Write an export as CSV, in constant memory, from one consistent state of the database. Dates are MM/DD/YYYY. Returns
 * the number of rows. If it throws, the connection is in the middle of a copy and unusable.
 */
export async function writeExport(options: WriteExportOptions): Promise<number> {
  const { db, client, choices, context, write, onProgress } = options;
  const query = exportQuery(db, choices, context);
  const written: WriteProgress = { rows: 0, total: null };
  await write(csvHeader(query.labels));
  await client.query("begin isolation level repeatable read read only");
  await client.query(settings);
  if (joinsWholeSets(choices)) await client.query(bulkPlannerSettings);
  const counting = count(query, (total) => {
    written.total = total;
    onProgress(written); // the first row may wait for a long sort
  });
  await copyOut(client, query.copy, async (piece, lines) => {
    await write(query.inWords(piece));
    written.rows += lines;
    onProgress(written);
  });
  await client.query("commit");
  await counting;
  return written.rows;
}

async function count(query: ExportQuery, onCounted: (total: number) => void): Promise<void> {
  try {
    onCounted(await query.countRows());
  } catch {
    // The count is only for progress; the copy itself fails with the reason.
  }
}

/**
 * A copy may take an hour. It waits longer than requests do for a table that is being altered, since it blocks nobody.
 * It uses no parallel workers, to leave processors for requests.
 */
const settings = `set local statement_timeout = '1h'; set local idle_in_transaction_session_timeout = '10min';
  set local lock_timeout = '5min'; set local max_parallel_workers_per_gather = 0; set local datestyle = 'SQL, MDY'`;
