import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Admin } from "#kit/domain/actor.ts";
import type { CsvFile } from "#kit/imports/csv-file.ts";
import { encodingOf, refuseOtherFormats } from "#kit/imports/file-text.ts";
import { importFile, planImport } from "#kit/imports/csv-import.ts";
import type { ImportDefinition } from "#kit/imports/import-definition.ts";
import type { Db } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { type ImportDone, type ImportPreview, maxShownProblems } from "#kit/imports/contract.ts";
import { refusedRowsAsCsv } from "#kit/imports/refused-rows.ts";
import { withImportLock } from "#kit/imports/import-lock.ts";

/** An uploaded file, and the request's transaction. */
export interface Upload {
  tx: Db;
  actor: Admin;
  bytes: Buffer;
  query: { file_name: string };
  request: FastifyRequest;
}

/** Further effects: suspensions for referrals; new firms and addresses for attorneys. */
type Consequences = Partial<Pick<ImportDone, "suspended" | "lifted" | "firms" | "emailsAsked">>;

/** What importing the file would do; nothing is changed. */
export async function previewUpload<Details extends z.ZodObject, More extends Consequences>(
  upload: Upload,
  importing: ImportDefinition<Details, More>,
): Promise<ImportPreview> {
  const file = fileOf(upload);
  const plan = await lockedImport(upload, file, importing, (onProgress) =>
    planImport(upload.tx, file, importing, onProgress),
  );
  const { rows, added, changed, unchanged, digest } = plan;
  const { suspended = 0, lifted = 0, firms = 0, emailsAsked = 0 } = plan;
  const problems = plan.problems.slice(0, maxShownProblems);
  return {
    rows,
    added,
    changed,
    unchanged,
    refused: plan.skipped,
    suspended,
    lifted,
    firms,
    emailsAsked,
    problems: problems.map(({ line, field, message }) => ({
      row: line,
      column: field === null ? null : headingOf(field, plan.headers),
      message,
    })),
    problemCount: plan.problems.length,
    ignoredColumns: plan.ignoredHeaders,
    askedColumns: plan.asked,
    missingFields: plan.missing,
    notes: plan.notes,
    encoding: file.encoding,
    keptDetails: plan.keptDetails,
    firstRows: plan.firstRows.map(({ line, ...planned }) => ({ row: line, ...planned })),
    digest,
  };
}

/** The rows that cannot be imported, unchanged, each with its row number and the reasons. */
export async function refusedRowsOf<Details extends z.ZodObject, More extends Consequences>(
  upload: Upload,
  importing: ImportDefinition<Details, More>,
): Promise<{ rows: number; csv: string }> {
  const file = fileOf(upload);
  return await lockedImport(upload, file, importing, async (onProgress) => {
    const { problems } = await planImport(upload.tx, file, importing, onProgress);
    return await refusedRowsAsCsv(file, problems);
  });
}

/**
 * Import the file as previewed, or not at all: 409 if its effect would differ now, 422 if rows are bad and leaving them
 * out was not accepted.
 */
export async function importUpload<Details extends z.ZodObject, More extends Consequences>(
  upload: Upload & { query: { digest: string; skips_bad: boolean } },
  importing: ImportDefinition<Details, More>,
): Promise<ImportDone> {
  const { digest, skips_bad: skipsBad } = upload.query;
  const file = { ...fileOf(upload), digest, skipsBad };
  const report = await lockedImport(upload, file, importing, (onProgress) =>
    importFile(upload.tx, upload.actor, file, importing, onProgress),
  );
  if (!report.isImported) throw rowsAreBad(report);
  const { inserted, updated, unchanged, skipped } = report;
  const { suspended = 0, lifted = 0, firms = 0, emailsAsked = 0 } = report;
  return {
    added: inserted,
    changed: updated,
    unchanged,
    refused: skipped,
    suspended,
    lifted,
    firms,
    emailsAsked,
  };
}

function rowsAreBad({ rows, skipped }: { rows: number; skipped: number }): Refusal {
  const count = (number: number) => number.toLocaleString("en-US");
  return new Refusal(
    422,
    `Nothing was imported: ${count(skipped)} of ${count(rows)} rows cannot be imported. Correct them in the file, or import only the other rows.`,
  );
}

async function lockedImport<Done>(
  { tx, actor, request }: Upload,
  file: CsvFile,
  { recordType }: { recordType: "attorney" | "matter" },
  work: Parameters<typeof withImportLock<Done>>[2],
): Promise<Done> {
  const about = { recordType, name: file.path, rows: lineFeedsIn(file.bytes) };
  return await withImportLock({ tx, db: request.server.db, admin: actor }, about, work);
}

/** The approximate number of the file's rows, for the progress. */
function lineFeedsIn(bytes: Buffer | undefined): number {
  let count = 0;
  for (let at = bytes?.indexOf(0x0a) ?? -1; at >= 0; at = bytes?.indexOf(0x0a, at + 1) ?? -1)
    count += 1;
  return count;
}

function fileOf({ bytes, query }: Upload): CsvFile & { bytes: Buffer } {
  refuseOtherFormats(bytes);
  // The encoding is detected; the preview shows how letters were read.
  return { path: query.file_name, bytes, encoding: encodingOf(bytes), countsBy: "row" };
}

function headingOf(field: string, headers: Map<string, string>): string {
  const words = field.replaceAll("_", " ");
  return headers.get(field) ?? words.charAt(0).toUpperCase() + words.slice(1);
}
