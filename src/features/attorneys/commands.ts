import { z } from "zod";
import { Day } from "#contract/fields.ts";
import { dayIn, plainDate } from "#domain/calendar.ts";
import { formatDay } from "#domain/day.ts";
import { type Command, command, type Outcome } from "#server/command.ts";
import { flag } from "#server/command-arguments.ts";
import { encodings } from "#server/csv-file.ts";
import { inTransaction } from "#server/transaction.ts";
import { importAttorneys, type ImportReport } from "#features/attorneys/import-attorneys.ts";
import { reviewNetwork } from "#features/attorneys/suspension.ts";
import {
  chooseNetwork,
  chooseNetworks,
  networkOption,
} from "#features/settings/chosen-networks.ts";
import { operator } from "#features/settings/networks.ts";

const importAttorneysCommand = command({
  name: "import-attorneys",
  summary: "Add attorneys to the panel, or update them, from a CSV file",
  details: `The first row names the columns, in any order: first name, last name and email are needed; phone,
bar number, address line 1, address line 2, city, state and zip are optional. Attorneys are known
again by bar number or email, so a file can be imported twice; an empty cell leaves what stands.
Nothing is imported when a row is bad, unless --skip-bad is given.`,
  operands: ["FILE.csv"],
  options: {
    network: networkOption("the first one"),
    "skip-bad": flag("Import the good rows, leave out the bad ones"),
    encoding: {
      value: "NAME",
      says: `How the file is written: ${encodings.join(" or ")}; utf-8 unless given`,
      schema: z.enum(encodings).default("utf-8"),
    },
  },
  async run({ db, progress }, given, [path = ""]) {
    const begun = performance.now();
    const network = await chooseNetwork(db, given.network);
    const file = { path, encoding: given.encoding, skipsBad: given["skip-bad"] };
    const report = await importAttorneys(db, operator(network.id), file, (rows) =>
      progress(`Read ${rows.toLocaleString("en-US")} rows`),
    );
    const seconds = Math.round(performance.now() - begun) / 1000;
    return outcomeOf(report, network, seconds);
  },
});

function outcomeOf(
  report: ImportReport,
  network: { id: number; name: string },
  seconds: number,
): Outcome {
  const { isImported, problems, ignoredHeaders, ...counts } = report;
  const count = (number: number) => number.toLocaleString("en-US");
  const verdict = isImported
    ? `${network.name}: ${count(counts.inserted)} added, ${count(counts.updated)} updated, ${count(counts.unchanged)} unchanged, ${count(counts.skipped)} skipped, in ${seconds} s.`
    : `Nothing was imported: ${count(counts.skipped)} of ${count(counts.rows)} rows are bad. Correct them, or import the others with --skip-bad.`;
  return {
    text: [
      ...ignoredHeaders.map((header) => `Column "${header}" is none of an attorney's: left out.`),
      ...problems.map(({ line, message }) => `Line ${line}: ${message}`),
      verdict,
    ].join("\n"),
    json: { imported: isImported, network, ...counts, problems, ignoredHeaders, seconds },
    hasFailed: !isImported,
  };
}

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
