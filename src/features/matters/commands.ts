import { z } from "zod";
import { dayIn } from "#domain/calendar.ts";
import { type Command, command, type Outcome } from "#server/command.ts";
import { flag } from "#server/command-arguments.ts";
import { encodings } from "#server/csv-file.ts";
import { importMatters, type MatterImport } from "#features/matters/import-matters.ts";
import {
  type ChosenNetwork,
  chooseNetwork,
  networkOption,
} from "#features/settings/chosen-networks.ts";
import { operator } from "#features/settings/networks.ts";

const importMattersCommand = command({
  name: "import-matters",
  summary: "Record referrals, or update them, from a CSV file",
  details: `The first row names the columns, in any order: first name and last name are needed; phone, email,
address line 1, address line 2, city, state, zip, contact preference (phone, email or either),
follow-up consent (yes or no), note, reference, submitted on, attorney (an email address or a bar
number), referred on, last report on and closed on are optional. A referral is known again by its
reference, or without one by the client's name and the day it was submitted, so a file can be
imported twice; an empty cell leaves what stands, and a referral moves on, never back. Suspensions
are reviewed after. Nothing is imported when a row is bad, unless --skip-bad is given.`,
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
  async run({ db, now, progress }, given, [path = ""]) {
    const begun = performance.now();
    const network = await chooseNetwork(db, given.network);
    const today = dayIn(network.timeZone, now());
    const file = { path, encoding: given.encoding, skipsBad: given["skip-bad"], today };
    const report = await importMatters(db, operator(network.id), file, (rows) =>
      progress(`Read ${rows.toLocaleString("en-US")} rows`),
    );
    return outcomeOf(report, network, Math.round(performance.now() - begun) / 1000);
  },
});

function outcomeOf(report: MatterImport, network: ChosenNetwork, seconds: number): Outcome {
  const { isImported, problems, ignoredHeaders, ...counts } = report;
  const count = (number: number) => number.toLocaleString("en-US");
  const verdict = isImported
    ? `${network.name}: ${count(counts.inserted)} added, ${count(counts.updated)} updated, ${count(counts.unchanged)} unchanged, ${count(counts.skipped)} skipped; attorneys suspended: ${count(counts.suspended)}, suspensions lifted: ${count(counts.lifted)}; in ${seconds} s.`
    : `Nothing was imported: ${count(counts.skipped)} of ${count(counts.rows)} rows are bad. Correct them, or import the others with --skip-bad.`;
  return {
    text: [
      ...ignoredHeaders.map((header) => `Column "${header}" is none of a referral's: left out.`),
      ...problems.map(({ line, message }) => `Line ${line}: ${message}`),
      verdict,
    ].join("\n"),
    json: {
      imported: isImported,
      network: { id: network.id, name: network.name },
      ...counts,
      problems,
      ignoredHeaders,
      seconds,
    },
    hasFailed: !isImported,
  };
}

export const matterCommands: Command[] = [importMattersCommand];
