import type { Admin, ChangeAuthor } from "#kit/domain/actor.ts";
import type { ImportFile, ImportReport } from "#kit/imports/csv-import.ts";
import type { ImportDefinition, OnImportProgress } from "#kit/imports/import-definition.ts";
import type { Layout } from "#kit/imports/columns.ts";
import { contactHeadings } from "#kit/imports/contact-headings.ts";
import { importWhenFree } from "#kit/imports/import-lock.ts";
import type { Db } from "#kit/db/database.ts";
import { ImportedAttorney } from "#people/contract.ts";
import { refuseNewEmail } from "#people/new-emails.ts";
import { requestEmailChanges } from "#access/sign-in/email-changes.ts";
import {
  accountsWithNewEmails,
  askedEmails,
  addNewAttorneys,
  addNewFirms,
  classifyRows,
  countAskedEmails,
  firstRows,
  countNewFirms,
  lockKnown,
  removeRows,
  insertRows,
  moveNewEmailsToPending,
  updateKnown,
  stagingTable,
} from "#people/imported-rows.ts";
import { findInvalidRows, notesOfRows } from "#people/matched-rows.ts";

const layout: Layout<typeof ImportedAttorney> = {
  details: ImportedAttorney,
  otherHeadings: {
    ...contactHeadings,
    bar_number: [
      "bar",
      "bar no",
      "bar id",
      "bar registration number",
      "registration number",
      "registration no",
      "attorney registration number",
      "license number",
      "license no",
    ],
    firm: [
      "law firm",
      "firm name",
      "law firm name",
      "company",
      "company name",
      "organization",
      "organization name",
      "organization 1 name",
    ],
  },
  ignoredHeadings: [
    "attorney id",
    "status",
    "vacation until",
    "suspended on",
    "reason for suspension",
    "added on",
    "has an account",
    "subscriptions",
    "balance",
    "overdue",
    "pending payments",
    "credit",
    "open referrals",
    "overdue since",
    "last signed in on",
    "left on",
  ],
};

/** Import a panel from a CSV file with `importWhenFree`. Attorneys are matched by bar number or email. */
export async function importAttorneys(
  db: Db,
  author: ChangeAuthor,
  { publicUrl, ...file }: ImportFile & { publicUrl: string },
  onProgress: OnImportProgress = () => undefined,
): Promise<ImportReport & AlsoDone> {
  return await importWhenFree(db, author, file, attorneyImport(author, publicUrl), onProgress);
}

interface AlsoDone {
  /** New firms named in the file. */
  firms: number;
  /** New addresses for accounts in use, which were emailed a link to confirm. */
  emailsAsked: number;
}

/**
 * How the rows of a file become attorneys and firms of the network. A new address for an account is refused like an edit
 * (`refuseNewEmail`); for an account in use it must be confirmed by email. Links in emails begin with `publicUrl`.
 */
export function attorneyImport(
  author: ChangeAuthor | Admin,
  publicUrl: string,
): ImportDefinition<typeof ImportedAttorney, AlsoDone> {
  let firms = 0;
  let emailsAsked = 0;
  return {
    networkId: author.networkId,
    recordType: "attorney",
    table: "attorneys",
    layout,
    keysOf,
    stagingTable,
    insertRows,
    findInvalidRows: (tx, countsBy) => findInvalidRows(tx, author.networkId, countsBy),
    removeRows,
    classifyRows: (tx) => classifyRows(tx, author.networkId),
    firstRows: (tx, atMost) => firstRows(tx, author.networkId, atMost),
    notes: (tx) => notesOfRows(tx, author.networkId),
    updateKnown: async (tx) => {
      firms = await addNewFirms(tx, author); // locked before attorneys
      // Checked again: an attorney may have been invited or have signed in while the file was compared.
      await lockKnown(tx, author.networkId);
      await moveNewEmailsToPending(tx, author.networkId);
      const accounts = await accountsWithNewEmails(tx, author.networkId);
      if ("role" in author && accounts.some)
        refuseNewEmail(author, { isInUse: accounts.someInUse });
      const wanted = await askedEmails(tx, author.networkId);
      const changed = await updateKnown(tx, author);
      await requestEmailChanges(tx, author, wanted, publicUrl);
      emailsAsked = wanted.length;
      return changed;
    },
    addNew: (tx) => addNewAttorneys(tx, author),
    followUp: async (tx) => ({ firms: tx ? firms : 0, emailsAsked: tx ? emailsAsked : 0 }),
    previewFollowUp: async (tx) => ({
      firms: await countNewFirms(tx),
      emailsAsked: await countAskedEmails(tx),
    }),
  };
}

function keysOf({ email, bar_number }: ImportedAttorney) {
  const barNumber = { name: "bar number", field: "bar_number", value: bar_number };
  const address = { name: "email address", field: "email", value: email };
  return bar_number ? [address, barNumber] : [address];
}
