import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { Temporal } from "temporal-polyfill";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWorker } from "#server/worker.ts";
import { aNetwork, anAttorney } from "#tests/support/people.ts";
import { anEnrolment, aPlan, dueDatesOf } from "#tests/support/records.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

let app: RunningApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(async () => await app.close());

const folder = mkdtempSync(join(tmpdir(), "worker-"));
afterAll(() => rmSync(folder, { recursive: true }));

const said: string[] = [];

/** A worker for which it is this instant all the time. */
const aWorker = (instant: string) =>
  startWorker({
    ...app,
    now: () => Temporal.Instant.from(instant),
    log: (line) => said.push(line),
    dataDir: folder,
    publicUrl: "",
    mail: { smtpUrl: null, from: "no-reply@example.test" },
  });

test("workers started together share the jobs, and make up at once for what was missed", async () => {
  const network = await aNetwork(app.db);
  const enrolment = await anEnrolment(
    app.db,
    await anAttorney(app.db, network),
    await aPlan(app.db, network),
  );
  const workers = await Promise.all([1, 2, 3].map(() => aWorker("2026-03-31T12:00:00Z")));
  try {
    while ((await dueDatesOf(app.db, enrolment)).length < 3) await after(20);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
  expect(await dueDatesOf(app.db, enrolment)).toEqual(["2026-01-31", "2026-02-28", "2026-03-31"]);
  expect(said).toEqual([]);
});

test("a worker started again later goes on where the others left off", async () => {
  const network = await aNetwork(app.db);
  const enrolment = await anEnrolment(
    app.db,
    await anAttorney(app.db, network),
    await aPlan(app.db, network),
  );
  const worker = await aWorker("2026-04-30T12:00:00Z");
  try {
    while ((await dueDatesOf(app.db, enrolment)).length < 4) await after(20);
  } finally {
    await worker.stop();
  }
  expect((await dueDatesOf(app.db, enrolment)).at(-1)).toBe("2026-04-30");
});
