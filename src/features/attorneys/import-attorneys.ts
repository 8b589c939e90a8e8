import type { Admin, Doer } from "#domain/actor.ts";
import { refuseUnlessConfirmed } from "#http/serve.ts";
import type {
  ImportDefinition,
  ImportFile,
  ImportReport,
  OnImportProgress,
} from "#features/imports/csv-import.ts";
import type { Layout } from "#features/imports/csv-table.ts";
import { importInTurn } from "#features/imports/import-lock.ts";
import type { Db } from "#db/database.ts";
import { ImportedAttorney } from "#features/attorneys/contract.ts";
import {
  addNewAttorneys,
  addNewFirms,
  changeSignIns,
  classifyRows,
  findInvalidRows,
  firstRows,
  countNewFirms,
  removeRows,
  insertRows,
  updateKnown,
  stagingTable,
} from "#features/attorneys/imported-rows.ts";

const layout: Layout<typeof ImportedAttorney> = {
  details: ImportedAttorney,
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
    firm: ["law firm", "firm name"],
  },
};

/** Import a panel from a CSV file, as `importInTurn` says. Attorneys are known again by bar number or email. */
export async function importAttorneys(
  db: Db,
  doer: Doer,
  file: ImportFile,
  onProgress: OnImportProgress = () => undefined,
): Promise<ImportReport & NewFirms> {
  return await importInTurn(db, doer, file, attorneyImport(doer), onProgress);
}

/** Firms that the file names and the network did not have. */
interface NewFirms {
  firms: number;
}

/**
 * How the rows of a file become attorneys of the network, and the firms that they name firms of it. An
 * administrator's is refused where it changes by what address somebody signs in, and nobody has proved lately to
 * be this administrator, as no program can.
 */
export function attorneyImport(
  doer: Doer | Admin,
): ImportDefinition<typeof ImportedAttorney, NewFirms> {
  let firms = 0;
  return {
    recordType: "attorney",
    table: "attorneys",
    layout,
    keysOf,
    stagingTable,
    insertRows,
    findInvalidRows: (tx, countsBy) => findInvalidRows(tx, doer.networkId, countsBy),
    removeRows,
    classifyRows: (tx) => classifyRows(tx, doer.networkId),
    firstRows: (tx, atMost) => firstRows(tx, doer.networkId, atMost),
    updateKnown: async (tx) => {
      if ("role" in doer && (await changeSignIns(tx, doer.networkId))) refuseUnlessConfirmed(doer);
      firms = await addNewFirms(tx, doer);
      return await updateKnown(tx, doer);
    },
    addNew: (tx) => addNewAttorneys(tx, doer),
    followUp: async (tx) => ({ firms: tx ? firms : 0 }),
    previewFollowUp: async (tx) => ({ firms: await countNewFirms(tx) }),
  };
}

function keysOf({ email, bar_number }: ImportedAttorney) {
  const barNumber = { name: "bar number", field: "bar_number", value: bar_number };
  const address = { name: "email address", field: "email", value: email };
  return bar_number ? [address, barNumber] : [address];
}
