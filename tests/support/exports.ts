import "#main/reports.ts";
import { vi } from "vitest";
import { listExports, type WantedExport } from "#kit/list/reports-contract.ts";
import { fromKysely, PgBoss } from "pg-boss";
import { prepareExportJob } from "#office/reports/jobs.ts";
import { prepareExport } from "#office/reports/prepare-export.ts";
import { type ExportKey, prepareJob } from "#office/reports/prepare-job.ts";
import { exportTypes } from "#kit/list/offered-reports.ts";
import { openJobQueue } from "#kit/jobs/queue.ts";
import type { RunningApp } from "#tests/support/running-app.ts";
import type { Visitor } from "#tests/support/visitor.ts";

/** A worker's context, for a server under test. */
export function aroundOf({ server, sessions }: RunningApp) {
  return {
    db: server.db,
    sessions,
    now: server.now,
    log: vi.fn<(line: string) => void>(),
  };
}

/**
 * Take the next report from the queue, as a worker does, and prepare it. Returns false if there was none.
 * Throws if it must be retried; it then waits for that.
 */
export async function prepareNext(
  context: Parameters<typeof prepareExport>[0],
  stopping = new AbortController().signal,
): Promise<boolean> {
  const boss = new PgBoss({ db: fromKysely(context.db) });
  const [job] = await boss.fetch<ExportKey>(prepareJob, { ignoreStartAfter: true });
  if (!job) return false;
  try {
    await prepareExport(context, job.data, stopping);
  } catch (problem) {
    await boss.fail(prepareJob, job.id);
    throw problem;
  }
  await boss.complete(prepareJob, job.id);
  return true;
}

/** Do the workers' jobs until none is waiting. */
export async function prepareAll(app: RunningApp): Promise<void> {
  const context = aroundOf(app);
  while (await prepareNext(context));
}

/** A worker that only prepares reports. */
export async function aReportWorker(app: RunningApp) {
  const context = { ...app, ...aroundOf(app), publicUrl: "" };
  return await openJobQueue(context, { recurring: [], ordered: [prepareExportJob()] }, null);
}

/** Order a report, prepare it, and download its file. */
export async function exportedFile(
  app: RunningApp,
  admin: Visitor,
  wanted: Partial<WantedExport> & { report_type: string },
) {
  const ordered = await admin.send("POST", "/data_export.json", wanted);
  if (ordered.status !== 200) throw new Error(ordered.text);
  await prepareAll(app);
  const [made] = (await admin.call(listExports)).items;
  if (!made?.file) throw new Error(`The report is ${made?.status}: ${made?.failureReason}`);
  return { made, ...(await downloaded(app, admin, made.file.url)) };
}

/** The bytes at an address, as sent. */
export async function downloaded(
  app: RunningApp,
  visitor: Visitor,
  url: string,
  headers: Record<string, string> = {},
) {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const answer = await app.server.inject({ method: "GET", url, headers: { cookie, ...headers } });
  return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload };
}

/** The text of docs/exports.md on each type, with its columns. */
export function describeReports(): string {
  return exportTypes
    .map(
      ({
        value,
        label,
        description: about,
        columns,
        timeFilterPermissions,
        timeFilterModes,
        filters,
      }) => {
        const dates = { either: "all time or a range", range: "a range", none: "none" };
        const modes = timeFilterModes.map((mode) => `\`${mode.value}\` ${mode.label.slice(0, -1)}`);
        return [
          `## ${label} (\`${value}\`)`,
          "",
          [
            `${about} Dates: ${dates[timeFilterPermissions]}.`,
            ...(modes.length > 0 ? [`Event types: ${modes.join(", ")}.`] : []),
            ...(filters.length > 0 ? ["Can be filtered by attorney."] : []),
          ].join(" "),
          "",
          `${columns.map((one) => `\`${one.value}\` ${one.label}${one.tooltip ? ` (${one.tooltip})` : ""}`).join("; ")}.`,
        ].join("\n");
      },
    )
    .join("\n\n");
}
