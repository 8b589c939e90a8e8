import type { Doer } from "#server/actor.ts";
import { importFile, type ImportFile, type ImportReport } from "#server/csv-import.ts";
import type { Layout } from "#server/csv-table.ts";
import type { Db } from "#server/database.ts";
import { AttorneyDetails } from "#features/attorneys/contract.ts";
import {
  addNewcomers,
  findUnfitRows,
  makeWaitingRoom,
  removeRows,
  takeIn,
  updateKnown,
} from "#features/attorneys/imported-rows.ts";

const layout: Layout<typeof AttorneyDetails> = {
  details: AttorneyDetails,
  alsoCalled: {
    first_name: ["given name"],
    last_name: ["surname", "family name"],
    email: ["email address"],
    phone: ["phone number", "telephone"],
    bar_number: ["bar", "bar no", "bar id"],
    address_line_1: ["address", "address 1", "street"],
    address_line_2: ["address 2"],
    address_city: ["city"],
    address_region: ["state", "region", "address state"],
    address_zip: ["zip", "zip code", "postal code", "address zip code"],
  },
};

/**
 * Import a panel from a CSV file, as `importFile` says. Attorneys are known again by bar number or
 * email.
 */
export async function importAttorneys(
  db: Db,
  doer: Doer,
  file: ImportFile,
  onProgress: (rows: number) => void = () => undefined,
): Promise<ImportReport> {
  const importing = {
    recordType: "attorney" as const,
    layout,
    keysOf,
    makeWaitingRoom,
    takeIn,
    findUnfitRows: (tx: Db) => findUnfitRows(tx, doer.networkId),
    removeRows,
    updateKnown: (tx: Db) => updateKnown(tx, doer),
    addNew: (tx: Db) => addNewcomers(tx, doer),
    followUp: async () => ({}),
  };
  return await importFile(db, doer, file, importing, onProgress);
}

function keysOf({ email, bar_number }: AttorneyDetails): [string, string][] {
  const barNumber: [string, string][] = bar_number ? [["bar number", bar_number]] : [];
  return [["email address", email], ...barNumber];
}
