import type { PlainDate } from "#domain/calendar.ts";
import type { Doer } from "#server/actor.ts";
import { importFile, type ImportFile, type ImportReport } from "#server/csv-import.ts";
import type { Db } from "#server/database.ts";
import { type Reviewed, reviewNetwork } from "#features/attorneys/suspension.ts";
import { type ImportedMatter, layout } from "#features/matters/imported-matter.ts";
import {
  addNewMatters,
  findUnfitRows,
  makeWaitingRoom,
  removeRows,
  takeIn,
  updateKnownMatters,
} from "#features/matters/imported-rows.ts";

export type MatterImport = ImportReport & Reviewed;

/**
 * Import referrals from a CSV file, as `importFile` says. A referral is known again by its reference,
 * or without one by the client's name and the day it was submitted: its contact details are updated,
 * and it only moves on, from new to open to closed. Suspensions are reviewed after.
 */
export async function importMatters(
  db: Db,
  doer: Doer,
  { today, ...file }: ImportFile & { today: PlainDate },
  onProgress: (rows: number) => void = () => undefined,
): Promise<MatterImport> {
  const importing = {
    recordType: "matter" as const,
    layout,
    keysOf,
    makeWaitingRoom,
    takeIn,
    findUnfitRows: (tx: Db) => findUnfitRows(tx, doer.networkId, today),
    removeRows,
    updateKnown: (tx: Db) => updateKnownMatters(tx, doer),
    addNew: (tx: Db) => addNewMatters(tx, doer),
    followUp: async (tx: Db | null) =>
      tx ? await reviewNetwork(tx, doer, today) : { suspended: 0, lifted: 0 },
  };
  return await importFile(db, doer, file, importing, onProgress);
}

function keysOf(details: ImportedMatter): [string, string][] {
  const { reference, first_name, last_name, submitted_on } = details;
  if (reference) return [["reference", reference]];
  const value = `${first_name} ${last_name} ${submitted_on}`.toLowerCase();
  return [["name and day submitted", value]];
}
