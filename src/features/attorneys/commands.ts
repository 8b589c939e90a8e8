import { Day } from "#contract/fields.ts";
import { dayIn, plainDate } from "#domain/calendar.ts";
import { formatDay } from "#domain/day.ts";
import { type Command, command } from "#cli/command.ts";
import { inTransaction } from "#db/transaction.ts";
import { importAttorneys } from "#features/attorneys/import-attorneys.ts";
import { reviewNetwork } from "#features/suspension/suspension.ts";
import {
  chooseNetwork,
  chooseNetworks,
  networkOption,
} from "#features/networks/chosen-networks.ts";
import { importOptions, importOutcome } from "#features/imports/import-command.ts";
import { operator } from "#features/networks/networks.ts";

const importAttorneysCommand = command({
  name: "import-attorneys",
  summary: "Add attorneys to the panel, or update them, from a CSV file",
  details: `The first row names the columns, in any order: first name, last name and email are needed; phone,
bar number, address line 1, address line 2, city, state and zip are optional. Attorneys are known
again by bar number or email, so a file can be imported twice; an empty cell leaves what stands.
Nothing is imported when a row is bad, unless --skip-bad is given.`,
  operands: ["FILE.csv"],
  options: importOptions,
  async run({ db, progress }, given, [path = ""]) {
    const begun = performance.now();
    const network = await chooseNetwork(db, given.network);
    const file = { path, encoding: given.encoding, skipsBad: given["skip-bad"] };
    const report = await importAttorneys(db, operator(network.id), file, (_step, rows) =>
      progress(`Read ${rows.toLocaleString("en-US")} rows`),
    );
    return importOutcome(report, { network, whose: "an attorney's", begun });
  },
});

const suspensionCommand = command({
  name: "suspension",
  summary: "Suspend for overdue reports, and lift suspensions, as of a day",
  details:
    "The server does this by itself every hour and on every change. The day may lie in the past or in the\nfuture, until the next review; today, by each network's own calendar, unless given.",
  options: {
    "as-of": { value: "DATE", says: "The day, written YYYY-MM-DD", schema: Day.optional() },
    network: networkOption("all of them"),
  },
  async run({ db, now, progress }, given) {
    const networks = await chooseNetworks(db, given.network);
    const reviews = [];
    for (const { id, name, timeZone } of networks) {
      progress(`Reviewing ${name}`);
      const asOf = given["as-of"] ?? dayIn(timeZone, now()).toString();
      const reviewed = await inTransaction(db, (tx) =>
        reviewNetwork(tx, operator(id), plainDate(asOf)),
      );
      reviews.push({ network: { id, name }, asOf, ...reviewed });
    }
    const lines = reviews.map(
      ({ network, asOf, suspended, lifted }) =>
        `${network.name}, as of ${formatDay(asOf)}: ${suspended} suspended, ${lifted} lifted.`,
    );
    return { text: lines.join("\n") || "There is no network to review.", json: { reviews } };
  },
});

export const attorneyCommands: Command[] = [importAttorneysCommand, suspensionCommand];
