import { once } from "node:events";
import { open, rename, rm, stat } from "node:fs/promises";
import { z } from "zod";
import { Day } from "#kit/contract/fields.ts";
import { dayIn } from "#kit/domain/calendar.ts";
import { earliestDay } from "#kit/domain/day.ts";
import { type Command, command, type CommandContext } from "#kit/cli/command.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { type ChosenNetwork, chooseNetwork, networkOption } from "#kit/cli/chosen-networks.ts";
import { type ExportChoices, readChoices } from "#office/reports/choices.ts";
import { refuseForeignAttorney } from "#office/reports/exports.ts";
import { failureSentence } from "#office/reports/failures.ts";
import { exportType, exportTypes } from "#kit/list/offered-reports.ts";
import { writeExport } from "#office/reports/write-export.ts";

const exportCommand = command({
  name: "export",
  summary: "Write a report as a CSV file, or to standard output",
  details: () =>
    `TYPE is one of: ${exportTypes.map(({ value }) => value).join(", ")}. docs/exports.md names their columns. The file is complete or absent.`,
  operands: ["TYPE"],
  options: {
    columns: {
      value: "LIST",
      help: "Column values, separated by commas. Default: all",
      schema: z.string().optional(),
    },
    from: { value: "DATE", help: "First date, written YYYY-MM-DD", schema: Day.optional() },
    to: { value: "DATE", help: "Last date, inclusive", schema: Day.optional() },
    mode: {
      value: "MODE",
      help: "The event that the dates filter by, such as due_on. Default: submitted_at",
      schema: z.string().optional(),
    },
    attorney: {
      value: "ID",
      help: "Only this attorney's rows",
      schema: z
        .string()
        .regex(/^[1-9]\d{0,14}$/, "must be the id of an attorney")
        .optional(),
    },
    out: {
      value: "FILE",
      help: "Where to write. Default: standard output",
      schema: z.string().optional(),
    },
    network: networkOption("the first one"),
  },
  async run(context, given, [type = ""]) {
    const network = await chooseNetwork(context.db, given.network);
    const choices = await choicesOf(context, network, type, given);
    const label = exportType(type)?.label ?? type;
    if (given.out === undefined) {
      const rows = await write(context, network, choices, toStandardOutput);
      return { text: "", json: { type, rows } };
    }
    const { rows, bytes } = await writeFile(context, network, choices, given.out);
    const text = `${label} of ${network.name}: ${rows.toLocaleString("en-US")} rows in ${given.out}.`;
    return { text, json: { type, network: network.id, rows, bytes, file: given.out } };
  },
});

interface Given {
  columns?: string;
  from?: string;
  to?: string;
  mode?: string;
  attorney?: string;
}

/** Checked like a request from the browser. Without --from: since the earliest day; without --to: until today. */
async function choicesOf(
  { db, now }: CommandContext,
  network: ChosenNetwork,
  type: string,
  given: Given,
): Promise<ExportChoices> {
  const definition = exportType(type);
  if (!definition)
    throw new Refusal(
      422,
      `There is no report ${JSON.stringify(type)}. Choose one of: ${exportTypes.map(({ value }) => value).join(", ")}.`,
    );
  const all = definition.hasChoice ? definition.columns.map(({ value }) => value) : [];
  const today = dayIn(network.timeZone, now()).toString();
  const isDated = given.from !== undefined || given.to !== undefined;
  const wanted = {
    report_type: type,
    columns: given.columns?.split(",").map((value) => value.trim()) ?? all,
    range_mode: isDated ? "range" : "all-time",
    start_date: requestDate(given.from ?? earliestDay),
    end_date: requestDate(given.to ?? today),
    time_filter_mode: given.mode ?? null,
    attorney_id: given.attorney === undefined ? null : Number(given.attorney),
  } as const;
  const choices = readChoices(wanted, today);
  await refuseForeignAttorney(db, network.id, choices.attorneyId);
  return choices;
}

/** As the request has it: mmddyyyy. */
function requestDate(day: string): string {
  return day.slice(5, 7) + day.slice(8, 10) + day.slice(0, 4);
}

/** The file gets its name once it is complete and on disk; until then an earlier file keeps it. */
async function writeFile(
  context: CommandContext,
  network: ChosenNetwork,
  choices: ExportChoices,
  path: string,
): Promise<{ rows: number; bytes: number }> {
  const part = `${path}.part`;
  try {
    const file = await open(part, "w", 0o600);
    // Also if interrupted: a partial file holds personal data that nobody asked for.
    context.closeAfter(() => rm(part, { force: true }));
    try {
      const rows = await write(context, network, choices, (bytes) => file.writeFile(bytes));
      await file.sync();
      await rename(part, path);
      return { rows, bytes: (await stat(path)).size };
    } finally {
      await file.close();
    }
  } catch (problem) {
    throw new Refusal(500, `${path} was not written. ${failureSentence(problem)}`);
  }
}

async function write(
  { db, pool, now, progress }: CommandContext,
  network: ChosenNetwork,
  choices: ExportChoices,
  to: (bytes: Buffer) => Promise<void>,
): Promise<number> {
  const client = await pool.connect();
  const { id: networkId, timeZone } = network;
  const doing = `Writing ${exportType(choices.reportType)?.label}`;
  let isDone = false;
  try {
    const rows = await writeExport({
      db,
      client,
      choices,
      context: { networkId, timeZone, today: dayIn(timeZone, now()).toString() },
      write: to,
      onProgress: (written) =>
        progress(doing, written.total ? Math.min(1, written.rows / written.total) : undefined),
    });
    isDone = true;
    return rows;
  } finally {
    client.release(!isDone);
  }
}

/** Waits for a slow reader of standard output. */
async function toStandardOutput(bytes: Buffer): Promise<void> {
  if (!process.stdout.write(Buffer.from(bytes))) await once(process.stdout, "drain");
}

export const exportCommands: Command[] = [exportCommand];
