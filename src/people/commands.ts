import { type Command, command } from "#kit/cli/command.ts";
import { importAttorneys } from "#people/import-attorneys.ts";
import { chooseNetwork } from "#kit/cli/chosen-networks.ts";
import { importOptions, importOutcome } from "#kit/imports/import-command.ts";
import { operator } from "#access/networks/networks.ts";

const importAttorneysCommand = command({
  name: "import-attorneys",
  summary: "Add attorneys to the panel, or update them, from a CSV file",
  details: `The first row names the columns, in any order: first name, last name and email are needed; phone,
bar number, address line 1, address line 2, city, state, zip and firm are optional. Attorneys are
known again by bar number or email, firms by name, so a file can be imported twice; an empty cell
leaves what stands. A firm that is new is made. Another email address of an attorney who signs in is
only asked for: both addresses are mailed, and it changes once they confirm it.
Nothing is imported when a row is bad, unless --skip-bad is given.`,
  operands: ["FILE.csv"],
  options: importOptions,
  async run({ db, publicUrl, progress }, given, [path = ""]) {
    const begun = performance.now();
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
        ? `; email addresses that wait to be confirmed by a link: ${report.emailsAsked}`
        : "";
    const besides = `${firms}${emails}`;
    return importOutcome(report, { network, whose: "an attorney's", besides, begun });
  },
});

export const attorneyCommands: Command[] = [importAttorneysCommand];
