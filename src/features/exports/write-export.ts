import { setTimeout as pause } from "node:timers/promises";
import type { ClientBase } from "pg";
import { copyOut } from "#db/copy-out.ts";
import type { Db } from "#db/database.ts";
import { bulkPlannerSettings } from "#db/planner-settings.ts";
import type { ExportChoices } from "#features/exports/choices.ts";
import { beginningOf } from "#features/exports/csv-text.ts";
import type { About } from "#features/exports/definition.ts";
import { type ExportQuery, exportQuery, joinsWholeSets } from "#features/exports/export-query.ts";
import type { DatabaseLoad } from "#features/exports/throttle.ts";

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
  others: DatabaseLoad;
}

/**
 * After each quarter of a megabyte, while others are at work: the database, which is held up by it,
 * and this process leave them a processor. On two of them calls took three times as long without.
 */
const pauseMs = 4;

/**
 * Write a report as CSV, in constant memory, from one consistent state of the database. Dates are
 * written MM/DD/YYYY by the database itself. Answers the number of rows. When it throws, the
 * connection is in the middle of things and cannot be used any more.
 */
export async function writeExport(writing: Writing): Promise<number> {
  const { db, client, choices, about, write, onProgress, others } = writing;
  const query = exportQuery(db, choices, about);
  const written: Written = { rows: 0, total: null };
  await write(beginningOf(query.labels));
  await client.query("begin isolation level repeatable read read only");
  await client.query(settings);
  if (joinsWholeSets(choices)) await client.query(bulkPlannerSettings);
  await client.query(
    `set local max_parallel_workers_per_gather = ${others.isDatabaseBusy() ? 0 : 1}`,
  );
  const startCount = async () =>
    await count(query, (total) => {
      written.total = total;
      onProgress(written); // a sort may keep the first row waiting for long
    });
  // Where others are at work, not beside the sorting: that keeps them waiting enough.
  let counting = others.isDatabaseBusy() ? null : startCount();
  await copyOut(client, query.copy, async (piece, lines) => {
    await write(piece);
    counting ??= startCount();
    if (others.isDatabaseBusy()) await pause(pauseMs);
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
 * It may take an hour, not half a minute. It waits for a table that is being altered for longer than
 * calls do, since it keeps nobody waiting meanwhile. One helper at most, and none while people work: a
 * large report leaves processors to them.
 */
const settings = `set local statement_timeout = '1h'; set local idle_in_transaction_session_timeout = '10min';
  set local lock_timeout = '5min'; set local datestyle = 'SQL, MDY'`;
