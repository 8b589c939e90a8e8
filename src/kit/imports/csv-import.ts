import { createHash } from "node:crypto";
import { basename } from "node:path";
import { sql } from "kysely";
import type { z } from "zod";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { CsvFile } from "#kit/imports/csv-file.ts";
import type { RowProblem } from "#kit/imports/csv-table.ts";
import type {
  ImportDefinition,
  OnImportProgress,
  PlannedRow,
} from "#kit/imports/import-definition.ts";
import { type AskedColumn, stageRows } from "#kit/imports/staged-rows.ts";
import type { Db } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { analyzeAfterBulkInsert } from "#kit/db/planner-settings.ts";

export interface ImportFile extends CsvFile {
  /** Import the good rows even if others are bad. */
  skipsBad: boolean;
  /** The digest of the accepted preview: nothing else is imported. */
  digest?: string;
}

export interface ImportReport {
  rows: number;
  inserted: number;
  updated: number;
  unchanged: number;
  /** Bad rows that were left out. */
  skipped: number;
  problems: RowProblem[];
  /** Headings of ignored columns. */
  ignoredHeaders: string[];
  /** Whole sentences about values read in an unexpected way. */
  notes: string[];
  /** False if rows are bad and nothing was written. */
  isImported: boolean;
}

/**
 * Import a CSV file in the caller's transaction: update known records that differ, add the others. Empty cells and
 * missing columns change nothing. A bad row stops the whole import, unless bad rows are skipped. Throws a Refusal if the
 * file cannot be read or its columns do not fit, or 409 if the effect differs from the preview.
 */
export async function importFile<Details extends z.ZodObject, More extends object>(
  tx: Db,
  author: ChangeAuthor,
  file: ImportFile,
  definition: ImportDefinition<Details, More>,
  onProgress: OnImportProgress,
): Promise<ImportReport & More> {
  const staged = await stageRows(tx, file, definition, { onProgress, to: "import" });
  const { read, problems, skipped, ignoredHeaders, notes } = staged;
  const plan = file.digest === undefined ? null : await planOf(tx, file, definition, staged);
  if (plan && plan.digest !== file.digest) throw changedSinceChecked();
  const isImported = skipped === 0 || file.skipsBad;
  const about = { rows: read, problems, ignoredHeaders, notes, isImported };
  if (!isImported) {
    const nothing = { inserted: 0, updated: 0, unchanged: 0, skipped };
    return { ...nothing, ...(await definition.followUp(null)), ...about };
  }
  await onProgress("saving", read);
  const updated = await definition.updateKnown(tx);
  const inserted = await definition.addNew(tx);
  // A record may have changed between the comparison and the update.
  if (plan && (plan.changed !== updated || plan.added !== inserted)) throw changedSinceChecked();
  await analyzeAfterBulkInsert(tx, updated + inserted, [definition.table, "auditEntries"]);
  const unchanged = read - skipped - updated - inserted;
  const more = await definition.followUp(tx);
  const counts = { inserted, updated, unchanged, skipped, ...more };
  await audit(tx, author, {
    action: "imported",
    recordType: definition.recordType,
    recordId: null,
    after: { file: basename(file.path), ...counts },
  });
  if (inserted + updated > 0) notifyOnCommit(tx, author.networkId, null);
  return { ...counts, ...about };
}

const changedSinceChecked = () =>
  new Refusal(
    409,
    "Nothing was imported: something has changed since this file was checked, and the import would differ from its preview. Check the file again.",
  );

export interface ImportPlan {
  rows: number;
  added: number;
  changed: number;
  unchanged: number;
  skipped: number;
  problems: RowProblem[];
  ignoredHeaders: string[];
  notes: string[];
  asked: AskedColumn[];
  /** Needed fields without a column: then no row is read. */
  missing: string[];
  /** Each field's heading in the file. */
  headers: Map<string, string>;
  firstRows: PlannedRow[];
  /** How many rows have other details than a known record, and may not change it. */
  keptDetails: number;
  /** Identifies this plan for this file. */
  digest: string;
}

const firstRowsShown = 10;

/** What `importFile` would do, in the caller's transaction. Nothing permanent is written. */
export async function planImport<Details extends z.ZodObject, More extends object>(
  tx: Db,
  file: CsvFile,
  definition: ImportDefinition<Details, More>,
  onProgress: OnImportProgress,
): Promise<ImportPlan & More> {
  const staged = await stageRows(tx, file, definition, { onProgress, to: "preview" });
  const { read, fields: _, ...about } = staged;
  const plan = await planOf(tx, file, definition, staged);
  return {
    ...about,
    ...plan,
    rows: read,
    firstRows: await definition.firstRows(tx, firstRowsShown),
    keptDetails: (await definition.countKeptDetails?.(tx)) ?? 0,
    ...(await definition.previewFollowUp(tx)),
  };
}

/** The staged rows' counts by effect, and a digest. */
async function planOf<Details extends z.ZodObject, More extends object>(
  tx: Db,
  file: CsvFile,
  definition: ImportDefinition<Details, More>,
  { problems, fields }: { problems: RowProblem[]; fields: (string | null)[] },
) {
  await definition.classifyRows(tx);
  const { table, knownAs } = definition.stagingTable;
  const { rows } = await sql<{
    added: number;
    changed: number;
    unchanged: number;
    fingerprint?: string;
  }>`
    select count(*) filter (where becomes = 'added') as added,
      count(*) filter (where becomes = 'changed') as changed,
      count(*) filter (where becomes = 'unchanged') as unchanged,
      encode(sha256(convert_to(coalesce(string_agg(concat_ws(' ', line, becomes, ${sql.ref(knownAs)}), ',' order by line), ''), 'UTF8')), 'hex') as fingerprint
    from ${sql.table(table)}`.execute(tx);
  const { fingerprint = "", ...counts } = rows[0] ?? { added: 0, changed: 0, unchanged: 0 };
  const digest = createHash("sha256")
    .update(file.bytes ?? "")
    .update(JSON.stringify([file.encoding, fields, counts, fingerprint, problems]))
    .digest("hex");
  return { ...counts, digest };
}
