import type { ClientBase } from "pg";
import { copyOut } from "#server/copy-out.ts";
import type { Db } from "#server/database.ts";
import type { ExportChoices } from "#features/reports/choices.ts";
import { beginningOf } from "#features/reports/csv-text.ts";
import type { About } from "#features/reports/definition.ts";
import { type ExportQuery, exportQuery } from "#features/reports/export-query.ts";

export interface Written {
  rows: number;
  /** Null until they have been counted. */
  total: number | null;
}

export interface Writing {
  /** Counts the rows meanwhile. */
  db: Db;
  /** Reads them: one of its own, since it is busy all the time. */
  client: ClientBase;
  choices: ExportChoices;
  about: About;
  write: (bytes: Buffer) => Promise<void>;
  onProgress: (written: Written) => void;
}

/**
 * Write a report as CSV, in constant memory, from one consistent state of the database. Dates are
 * written MM/DD/YYYY by the database itself. Answers the number of rows. When it throws, the
 * connection is in the middle of things and cannot be used any more.
 */
export async function writeExport(writing: Writing): Promise<number> {
  const { db, client, choices, about, write, onProgress } = writing;
  const query = exportQuery(db, choices, about);
  const written: Written = { rows: 0, total: null };
  await write(beginningOf(query.labels));
  await client.query("begin isolation level repeatable read read only");
  await client.query(settings);
  const counting = count(query, (total) => {
    written.total = total;
    onProgress(written); // a sort may keep the first row waiting for long
  });
  await copyOut(client, query.copy, async (piece, lines) => {
    await write(piece);
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
    // Only for the per cent: the rows themselves tell what is wrong.
  }
}

/**
 * It may take an hour, not half a minute, and one helper at most: a large report leaves processors
 * to those who work. It waits for a table that is being altered for longer than calls do, since it
 * keeps nobody waiting meanwhile.
 */
const settings = `set local statement_timeout = '1h'; set local idle_in_transaction_session_timeout = '10min';
  set local lock_timeout = '5min'; set local datestyle = 'SQL, MDY';
  set local max_parallel_workers_per_gather = 1`;
