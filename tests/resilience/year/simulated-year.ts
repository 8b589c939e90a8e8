import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { type Figures, measureDatabase, measureScreens } from "./figures.ts";
import { doJobsOf, isJobHour, type JobTimes } from "./job-hours.ts";
import { Office } from "./office.ts";
import { dueDays, localTime } from "./plain-calendar.ts";
import type { SimulatedService } from "./simulated-service.ts";

const hourMs = 3_600_000;

/** The afternoon before the year, when everybody is enrolled; on every clock here it is New Year's Eve. */
export const eve = "2027-12-31";
export const beginsMs = Date.parse(`${eve}T12:00:00Z`);

/**
 * Zones with half and quarter hours, daylight saving time in both hemispheres and of half an hour, and none.
 */
const timeZones = [
  "America/New_York",
  "America/Los_Angeles",
  "America/St_Johns",
  "Europe/London",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "America/Phoenix",
  "America/Chicago",
  "Asia/Kathmandu",
  "Pacific/Honolulu",
];

/** Figures at noon of a month's first day. */
export interface Month extends Figures {
  month: string;
  screens: Map<string, number>;
  verifyMs: number;
  /** All jobs of one UTC day, in milliseconds: of each day since the month before. */
  nights: number[];
  /** The longest that each job took in one day. */
  longest: JobTimes;
}

export interface SimulatedYear {
  service: SimulatedService;
  offices: Office[];
  months: Month[];
}

/** Simulate the year, hour by hour where anything happens. `days` ends it early. */
export async function playYear(
  service: SimulatedService,
  size: { networks: number; attorneys: number; days: number; work: number },
  tell: (line: string) => void,
): Promise<SimulatedYear> {
  const offices: Office[] = [];
  for (let number = 0; number < size.networks; number += 1)
    offices.push(
      await Office.open(service, {
        number,
        timeZone: timeZones[number % timeZones.length] ?? "UTC",
        attorneys: size.attorneys,
        work: size.work,
        today: eve,
      }),
    );
  const inUse = timeZones.slice(0, size.networks);
  const begun = performance.now();
  const hours = size.days * 24 + 23; // until the year has ended on the last clock, too
  const months: Month[] = [];
  let nights: number[] = [];
  let times: JobTimes = new Map();
  let longest: JobTimes = new Map();
  for (let hour = 1; hour <= hours; hour += 1) {
    const instant = beginsMs + hour * hourMs;
    if (isJobHour(inUse, instant)) {
      await doJobsOf(service, instant, times);
      await compareSuspensions(service, offices, instant);
    }
    const atWork = offices.flatMap((office) => {
      const { day, hour: shown } = localTime(office.network.timeZone, instant);
      return shown === 12 ? [{ office, day }] : [];
    });
    if (atWork.length > 0) {
      await service.moveClock(instant);
      await inParallel(atWork, ({ office, day }) => office.work(day));
    }
    if (new Date(instant).getUTCHours() !== 12) continue;
    nights.push([...times.values()].reduce((sum, ms) => sum + ms, 0));
    for (const [name, ms] of times) longest.set(name, Math.max(ms, longest.get(name) ?? 0));
    times = new Map();
    const day = new Date(instant).toISOString().slice(0, 10);
    const minutes = Math.round(((performance.now() - begun) / hour / 60_000) * (hours - hour));
    if (/-(01|11|21)$/.test(day))
      tell(`${day}: about ${minutes} minutes to go, ${megabytesResident()} MB resident`);
    if (!day.endsWith("-01")) continue;
    const month = { month: day.slice(0, 7), nights, longest, ...(await measure(service, offices)) };
    months.push(month);
    tell(tableLine(month).join(" | "));
    nights = [];
    longest = new Map();
  }
  return { service, offices, months };
}

async function measure(service: SimulatedService, offices: Office[]) {
  const [first] = offices;
  const [attorney] = first?.attorneys ?? [];
  if (!first || !attorney) throw new Error("There is no network.");
  const begun = performance.now();
  const offences = (await verifyLedger(service.app.db, null)).filter((one) => one.offenders > 0);
  if (offences.length > 0) throw new Error(`The ledger is damaged: ${JSON.stringify(offences)}`);
  const verifyMs = performance.now() - begun;
  return {
    verifyMs,
    ...(await measureDatabase(service.client)),
    screens: await measureScreens(service, first.network, attorney),
  };
}

/** Each network whose date has changed has suspended exactly those whom its rules name. */
async function compareSuspensions(
  { client }: SimulatedService,
  offices: Office[],
  instant: number,
): Promise<void> {
  const { rows } = await client.query<{ network_id: string; ids: string[] }>(`
    select network_id, array_agg(id) as ids from attorneys where suspended_at is not null group by 1`);
  const suspended = new Map(rows.map((row) => [Number(row.network_id), row.ids.map(Number)]));
  for (const office of offices) {
    const { day } = localTime(office.network.timeZone, instant);
    if (office.billedThrough !== day) office.beginDay(day);
    const found = (suspended.get(office.network.id) ?? []).toSorted((a, b) => a - b);
    const expected = [...office.suspendedOn(day)].toSorted((a, b) => a - b);
    if (found.join() !== expected.join())
      throw new Error(
        `${office.network.name} on ${day}: ${found.join()} suspended instead of ${expected.join()}`,
      );
    office.suspensions = Math.max(office.suspensions, expected.length);
  }
}

async function inParallel<Thing>(
  things: readonly Thing[],
  work: (thing: Thing) => Promise<void>,
): Promise<void> {
  const left = [...things];
  const next = async () => {
    for (let thing = left.shift(); thing; thing = left.shift()) await work(thing);
  };
  await Promise.all(Array.from({ length: 16 }, next));
}

/** Each debit by the plain calendar: enrolment, date, cents, and the date on which it was made. */
export function expectedDebits(office: Office): string[] {
  return [...office.dues].flatMap(([id, dues]) =>
    dueDays({ ...dues, through: dues.endedOn ?? office.billedThrough }).map((day) =>
      [id, day, dues.amountCents, day].join(" "),
    ),
  );
}

const megabytesResident = () => Math.round(process.memoryUsage().rss / 2 ** 20);

export const tableHead = [
  "month",
  "MB",
  "debits",
  "referrals",
  "payments",
  "mails",
  "audit entries",
  "bytes a debit",
  "dead rows",
  "leaf density",
  "jobs of a day, s (longest)",
  "slowest screen, ms",
  "verify-ledger, s",
];

export function tableLine({ month, tables, nights, screens, ...figures }: Month): string[] {
  const of = (name: string) => tables.get(name);
  const count = (name: string) => (of(name)?.rows ?? 0).toLocaleString("en-US");
  const debits = of("debits");
  const dead = [...tables.values()].reduce((sum, { deadRows }) => sum + deadRows, 0);
  const middle = nights.toSorted((a, b) => a - b)[Math.floor(nights.length / 2)] ?? 0;
  const slowest = [...screens].toSorted(([, a], [, b]) => b - a)[0];
  return [
    month,
    (figures.databaseBytes / 1e6).toFixed(0),
    ...["debits", "matters", "payments", "mails", "audit_entries"].map(count),
    Math.round((debits?.bytes ?? 0) / Math.max(1, debits?.rows ?? 0)).toString(),
    dead.toLocaleString("en-US"),
    `${(debits?.leafDensity ?? 0).toFixed(0)} %`,
    `${(middle / 1000).toFixed(2)} (${(Math.max(0, ...nights) / 1000).toFixed(2)})`,
    slowest ? `${slowest[1].toFixed(1)} ${slowest[0]}` : "",
    (figures.verifyMs / 1000).toFixed(2),
  ];
}
