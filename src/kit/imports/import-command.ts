import { z } from "zod";
import type { Outcome } from "#kit/cli/command.ts";
import { flag } from "#kit/cli/command-arguments.ts";
import { encodings } from "#kit/imports/file-text.ts";
import type { ImportReport } from "#kit/imports/csv-import.ts";
import { type ChosenNetwork, networkOption } from "#kit/cli/chosen-networks.ts";

/** The options of a command that imports a file. */
export const importOptions = {
  network: networkOption("the first one"),
  "skip-bad": flag("Import the good rows and leave out the bad ones"),
  encoding: {
    value: "NAME",
    help: `The file's encoding: ${encodings.join(" or ")}. Default: utf-8`,
    schema: z.enum(encodings).default("utf-8"),
  },
};

/** An import command's output: what was done, or every bad row with its line and reason. */
export function importOutcome(
  report: ImportReport,
  options: {
    network: ChosenNetwork;
    /** Whose columns these are, such as "a referral's". */
    ofRecord: string;
    /** Further effects of the import, as a clause. */
    extra?: string;
    /** The start, by `performance.now()`. */
    startedAt: number;
  },
): Outcome {
  const { isImported, problems, ignoredHeaders, notes, ...counts } = report;
  const seconds = Math.round(performance.now() - options.startedAt) / 1000;
  const count = (number: number) => number.toLocaleString("en-US");
  const { id, name } = options.network;
  const verdict = isImported
    ? `${name}: ${count(counts.inserted)} added, ${count(counts.updated)} updated, ${count(counts.unchanged)} unchanged, ${count(counts.skipped)} skipped${options.extra ?? ""}, in ${seconds} s.`
    : `Nothing was imported: ${count(counts.skipped)} of ${count(counts.rows)} rows are bad. Correct them, or import the others with --skip-bad.`;
  return {
    text: [
      ...ignoredHeaders.map((header) => ignoredSentence(header, options.ofRecord)),
      ...notes,
      ...problems.map(({ line, message }) => `Line ${line}: ${message}`),
      verdict,
    ].join("\n"),
    json: {
      imported: isImported,
      network: { id, name },
      ...counts,
      problems,
      ignoredHeaders,
      notes,
      seconds,
    },
    hasFailed: !isImported,
  };
}

function ignoredSentence(header: string, ofRecord: string): string {
  const [, nameless] = /^column ([A-Z]+), which has no heading$/.exec(header) ?? [];
  return nameless
    ? `Column ${nameless} has no heading and was left out.`
    : `Column "${header}" is not one of ${ofRecord} columns and was left out.`;
}
