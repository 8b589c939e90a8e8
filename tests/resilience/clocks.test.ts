import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Running, start } from "#tests/resilience/faults/processes.ts";
import { freePort } from "#tests/support/launched.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolment } from "#tests/support/records/dues.ts";
import { dueDatesOf } from "#tests/support/ledger.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

/* One process of the product with a wrong clock, on a database with the right one. */

const twoDaysMs = 2 * 86_400_000;
const pollOptions = { timeout: 60_000 };

let app: RunningApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(async () => await app.close());

test(
  "a process whose clock is two days ahead warns, does no jobs, and does them once the clock is right",
  { timeout: 240_000 },
  async () => {
    const enrolment = await someoneWhoOwes();
    setClock(twoDaysMs);
    const { port, running } = await startTurned();
    await isSaid(running, "2 days ahead of the database's. No jobs run here");
    await isSaid(running, "2 days ahead of the database's. This process's time and date");
    expect(await clockAhead(port)).toBeCloseTo(twoDaysMs / 1000, -2);
    expect(await dueDatesOf(app.db, enrolment)).toEqual([]);

    setClock(0);
    await expect
      .poll(async () => (await dueDatesOf(app.db, enrolment)).length, pollOptions)
      .not.toBe(0);
    await expect.poll(() => clockAhead(port), pollOptions).toBe(0);
    await isSaid(running, "agrees with the database's: jobs run again");

    setClock(-twoDaysMs);
    await isSaid(running, "2 days behind the database's. No jobs run here");
    expect(await running.stop()).toBe(0);
  },
);

async function someoneWhoOwes(): Promise<number> {
  const network = await makeNetwork(app.db, { timeZone: "UTC" });
  const attorney = await makeAttorney(app.db, network);
  return await makeEnrolment(app.db, attorney, await makePlan(app.db, network));
}

const clockFile = () => join(app.dataDir, "clock");
const setClock = (aheadMs: number) => writeFileSync(clockFile(), String(aheadMs));

/** Web and worker in one process, ready. */
async function startTurned(): Promise<{ port: number; running: Running }> {
  const port = await freePort();
  const running = start({
    name: "turned",
    program: "dist/server/start.js",
    clockFile: clockFile(),
    env: {
      PORT: String(port),
      DATABASE_URL: app.connectionString,
      DATA_DIR: app.dataDir,
      APP_SECRET: app.secret,
      LOG_LEVEL: "warn",
    },
  });
  onTestFinished(() => running.kill());
  await running.ready;
  return { port, running };
}

/** The difference in `/metrics`, in seconds. */
async function clockAhead(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  return Number(/^clock_ahead_seconds (\S+)$/m.exec(await answer.text())?.[1]);
}

const isSaid = async (running: Running, words: string) =>
  await expect.poll(() => running.lastWords(), pollOptions).toContain(words);
