import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { openDatabase, openPool } from "#kit/db/database.ts";
import { chanceOf } from "#tests/resilience/faults/chance.ts";
import { ledgerOffences, prepare, type Stage } from "#tests/resilience/faults/round.ts";
import { run, startCommand, type World } from "#tests/resilience/faults/world.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makePanel } from "#tests/support/records/attorneys.ts";
import { plainDate } from "#kit/domain/calendar.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolment } from "#tests/support/records/dues.ts";

/** Odd nights, by the first instant of the day that they begin or change. */
const nights = [
  { zone: "America/New_York", at: "2027-03-14T07:00:00Z", what: "clocks go forward at 2:00" },
  { zone: "America/New_York", at: "2027-11-07T06:00:00Z", what: "clocks go back at 2:00" },
  { zone: "America/Santiago", at: "2027-09-05T04:00:00Z", what: "there is no midnight" },
  { zone: "America/Havana", at: "2027-03-14T05:00:00Z", what: "there is no midnight" },
  { zone: "Africa/Cairo", at: "2027-04-29T22:00:00Z", what: "there is no midnight" },
  { zone: "Australia/Lord_Howe", at: "2027-10-02T15:30:00Z", what: "half an hour is left out" },
  { zone: "America/New_York", at: "2027-03-01T05:00:00Z", what: "February ends" },
  { zone: "America/New_York", at: "2028-02-29T05:00:00Z", what: "a leap day begins" },
  { zone: "Pacific/Kiritimati", at: "2027-12-31T10:00:00Z", what: "the year ends 14 hours early" },
] as const;

const hourMs = 3_600_000;

/**
 * Move the clock over a night that the seed chooses: the operator bills "today" before, at and after it, and
 * is killed each time before billing again. Each enrolment then has its debits through the local date,
 * neither more nor fewer.
 */
export async function turnTheDay(
  stage: Stage,
  seed: number,
): Promise<{ night: string; offences: string[] }> {
  const chance = chanceOf(seed);
  const { zone, at, what } = chance.oneOf(nights);
  const { world, close } = await prepare(stage, seed);
  const clockFile = join(world.dataDir, "clock");
  const offences: string[] = [];
  try {
    const networkId = await someoneDueEveryDay(world, zone);
    const bill = ["billing", "--network", String(networkId)];
    for (const offsetMs of [-1_000, 0, hourMs, 24 * hourMs]) {
      const instant = Date.parse(at) + offsetMs;
      writeFileSync(clockFile, `at ${instant}`);
      const killed = startCommand(world, bill, clockFile);
      await after(chance.whole(0, 1_500));
      await killed.kill();
      const { code, said } = await run(world, bill, clockFile);
      if (code !== 0) offences.push(`billing ended with ${code}: ${said}`);
      offences.push(...(await offencesOf(world, networkId, dayIn(zone, instant))));
    }
    offences.push(...(await ledgerOffences(world)));
  } catch (problem) {
    offences.push(problem instanceof Error ? (problem.stack ?? "") : String(problem));
  } finally {
    await close();
  }
  return { night: `${zone}: ${what}`, offences };
}

/** A network with an enrolment whose period begins on each day of a month. */
async function someoneDueEveryDay(world: World, timeZone: string): Promise<number> {
  const pool = openPool({ connectionString: world.env["DATABASE_URL"] ?? "", connections: 2 });
  try {
    const db = openDatabase(pool);
    const network = await makeNetwork(db, { timeZone });
    const plan = await makePlan(db, network);
    const panel = await makePanel(db, network, 31);
    for (const [days, id] of panel.entries()) {
      const startDate = plainDate("2026-10-01").add({ days }).toString();
      await makeEnrolment(db, { id }, plan, { startDate, enrolledOn: "2026-09-30" });
    }
    return network.id;
  } finally {
    await pool.end();
  }
}

/** Without the product's own rules: the date by the system's calendar, the periods by PostgreSQL's. */
async function offencesOf({ ask }: World, networkId: number, day: string): Promise<string[]> {
  const rows = await ask<{ id: string; periods: number; debits: number; last: string }>(
    `select * from (
       select e.id, e.network_id, (
           select count(*)::integer from generate_series(0, 60) as k
           where (e.start_date + make_interval(months => k))::date <= $2) as periods,
         (select count(*)::integer from debits d
           where d.network_id = e.network_id and d.enrolment_id = e.id) as debits,
         (select max(due_on)::text from debits d
           where d.network_id = e.network_id and d.enrolment_id = e.id) as last
       from enrolments e where e.network_id = $1) as found
     where periods <> debits limit 3`,
    [networkId, day],
  );
  return rows.map(
    ({ id, periods, debits, last }) =>
      `on ${day} enrolment ${id} has ${debits} debits for ${periods} periods, the last due ${last}`,
  );
}

function dayIn(timeZone: string, instant: number): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone }).format(instant);
}
