import { type Command, command } from "#kit/cli/command.ts";
import { importAttorneys } from "#people/import-attorneys.ts";
import { chooseNetwork } from "#kit/cli/chosen-networks.ts";
import { importOptions, importOutcome } from "#kit/imports/import-command.ts";
import { operator } from "#access/networks/networks.ts";

const importAttorneysCommand = command({
  name: "import-attorneys",
  summary: "Add attorneys to the panel, or update them, from a CSV file",
  details: `The first row names the columns, in any order. First name, last name and email are required. Phone,
bar number, address line 1, address line 2, city, state, zip and firm are optional. Attorneys are
matched by bar number or email, firms by name, so you can import a file again. Empty cells change
nothing. New firms are added. A new email address of an attorney who signs in takes effect after it
is confirmed: both addresses are emailed a link.
If a row is bad, nothing is imported, unless you give --skip-bad.`,
  operands: ["FILE.csv"],
  options: importOptions,
  async run({ db, publicUrl, progress }, given, [path = ""]) {
    const startedAt = performance.now();
    const network = await chooseNetwork(db, given.network);
    const file = { path, encoding: given.encoding, skipsBad: given["skip-bad"] };
    const report = await importAttorneys(
      db,
      operator(network.id),
      { ...file, publicUrl },
      (_step, rows) => progress(`Read ${rows.toLocaleString("en-US")} rows`),
    );
    const firms = report.firms > 0 ? `; firms added: ${report.firms}` : "";
    const emails =
      report.emailsAsked > 0
        ? `; email addresses waiting for confirmation: ${report.emailsAsked}`
        : "";
    const extra = `${firms}${emails}`;
    return importOutcome(report, { network, ofRecord: "an attorney's", extra, startedAt });
  },
});

export const attorneyCommands: Command[] = [importAttorneysCommand];
