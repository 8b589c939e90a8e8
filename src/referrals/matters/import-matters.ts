import type { PlainDate } from "#kit/domain/calendar.ts";
import { folded } from "#kit/domain/folded.ts";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import type { ImportFile, ImportReport } from "#kit/imports/csv-import.ts";
import type { ImportDefinition, OnImportProgress } from "#kit/imports/import-definition.ts";
import { importWhenFree } from "#kit/imports/import-lock.ts";
import type { Db } from "#kit/db/database.ts";
import { type Reviewed, reviewNetwork } from "#referrals/suspension/suspension.ts";
import { type ImportedMatter, layout } from "#referrals/matters/imported-matter.ts";
import {
  addNewMatters,
  classifyRows,
  countKeptDetails,
  removeRows,
  insertRows,
  updateKnownMatters,
  stagingTable,
} from "#referrals/matters/imported-rows.ts";
import { findInvalidRows } from "#referrals/matters/matched-rows.ts";
import { firstRows, previewReviewAfterImport } from "#referrals/matters/planned-rows.ts";

export type MatterImport = ImportReport & Reviewed;

/**
 * Import referrals from a CSV file, as `importWhenFree` does. A referral is matched by its reference, or else by the
 * client's name and the submission date. Contact details are updated; a status only moves forward. Suspensions are
 * reviewed afterwards.
 */
export async function importMatters(
  db: Db,
  author: ChangeAuthor,
  { today, ...file }: ImportFile & { today: PlainDate },
  onProgress: OnImportProgress = () => undefined,
): Promise<MatterImport> {
  return await importWhenFree(db, author, file, matterImport(author, today), onProgress);
}

/** How a file's rows become the network's referrals, on a given day. */
export function matterImport(
  author: ChangeAuthor,
  today: PlainDate,
): ImportDefinition<typeof ImportedMatter, Reviewed> {
  return {
    networkId: author.networkId,
    recordType: "matter",
    table: "matters",
    layout,
    keysOf,
    stagingTable,
    insertRows,
    findInvalidRows: (tx, countsBy, to) =>
      findInvalidRows(tx, author.networkId, { today, countsBy, to }),
    removeRows,
    classifyRows: (tx) => classifyRows(tx, author),
    firstRows: (tx, atMost) => firstRows(tx, author, atMost),
    countKeptDetails: (tx) => countKeptDetails(tx, author),
    updateKnown: (tx) => updateKnownMatters(tx, author),
    addNew: (tx) => addNewMatters(tx, author),
    followUp: async (tx) =>
      tx ? await reviewNetwork(tx, author, today) : { suspended: 0, lifted: 0 },
    previewFollowUp: (tx) => previewReviewAfterImport(tx, author.networkId, today),
  };
}

function keysOf(details: ImportedMatter) {
  const { reference, referral_id, first_name, last_name, submitted_on } = details;
  if (reference) return [{ name: "reference", field: "reference", value: reference }];
  if (referral_id) return [{ name: "referral ID", field: "referral_id", value: referral_id }];
  const value = `${folded(`${first_name} ${last_name}`)} ${submitted_on}`;
  return [{ name: "name and submission date", field: "submitted_on", value }];
}
