import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { stampsBefore } from "#tests/resilience/year/figures.ts";
import { dayNumber, dayText, isMonday } from "#tests/resilience/year/plain-calendar.ts";
import { aSimulatedService } from "#tests/resilience/year/simulated-service.ts";
import {
  beginsMs,
  eve,
  expectedDebits,
  playYear,
  type SimulatedYear,
  tableHead,
  tableLine,
} from "#tests/resilience/year/simulated-year.ts";

/*
 * The leap year 2028 with the clock as an argument: the worker's own jobs at every hour at which they may
 * have work, and people at work at each noon. YEAR_NETWORKS and YEAR_ATTORNEYS make it larger, YEAR_DAYS ends
 * it early, and YEAR_WORK makes people do less or more: `YEAR_NETWORKS=240 YEAR_ATTORNEYS=400 npm run
 * rehearse year`. docs/performance.md has the figures.
 */

const sizeOf = (variable: string, usual: number) => Number(process.env[variable] ?? usual);
const size = {
  networks: sizeOf("YEAR_NETWORKS", 6),
  attorneys: sizeOf("YEAR_ATTORNEYS", 20),
  days: sizeOf("YEAR_DAYS", 366),
  work: sizeOf("YEAR_WORK", 1),
};
/** A table with fewer rows at the end of the first quarter is mostly its initial pages. */
const enoughRows = 1_000;

const printLine = (line: string) => void process.stderr.write(`${line}\n`);
let year: SimulatedYear;
let close = async () => {};

beforeAll(async () => {
  const service = await aSimulatedService(beginsMs);
  close = () => service.close();
  year = await playYear(service, size, printLine);
}, 24 * 3_600_000);
afterAll(async () => {
  if (year) printLine(figures());
  await close();
});

const timeoutMs = 3_600_000;

test(
  "the ledger has no fault",
  async () => {
    const checks = await verifyLedger(year.service.app.db, null);
    expect(checks.filter(({ offenders }) => offenders > 0)).toEqual([]);
  },
  timeoutMs,
);

test(
  "every period is billed once, on its own date, by a plain calendar",
  async () => {
    for (const office of year.offices) {
      const { rows } = await year.service.client.query<{ debit: string }>(
        `select enrolment_id || ' ' || due_on || ' ' || amount_cents || ' '
          || (created_at at time zone $2)::date as debit
         from debits where network_id = $1`,
        [office.network.id, office.network.timeZone],
      );
      const made = inOrder(rows.map(({ debit }) => debit));
      expect([office.network.name, made]).toEqual([
        office.network.name,
        inOrder(expectedDebits(office)),
      ]);
      expect(made.length).toBeGreaterThan(0);
    }
  },
  timeoutMs,
);

test("attorneys were suspended and reinstated only on the dates that the rules name", () => {
  // Compared after each hour in which a date changed somewhere: otherwise the year would have stopped early.
  const most = year.offices.map(({ suspensions }) => suspensions);
  const isLongEnough = size.days > 200;
  expect(Math.max(...most) > 0 || !isLongEnough).toBe(true);
  const without = year.offices.filter(({ policy }) => !policy.suspends);
  expect(without.filter(({ suspensions }) => suspensions > 0)).toEqual([]);
});

test("every scheduled report was made, of each week and month", async () => {
  for (const { network, billedThrough } of year.offices) {
    const { rows } = await year.service.client.query<Record<string, string>>(
      `select x.status, s.frequency, x.first_on::text, x.last_on::text, x.scheduled_on::text as made_on
       from data_exports x join data_export_schedules s on s.network_id = x.network_id and s.id = x.schedule_id
       where x.network_id = $1 order by x.scheduled_on`,
      [network.id],
    );
    expect(rows.filter(({ status }) => status !== "ready")).toEqual([]);
    for (const frequency of ["weekly", "monthly"]) {
      const made = rows.filter((row) => row["frequency"] === frequency);
      const days = daysUntil(billedThrough).filter((day) =>
        frequency === "monthly" ? day.endsWith("-01") : isMonday(day),
      );
      // The last day's three in the morning may not have come yet.
      expect(days.slice(0, made.length)).toEqual(made.map((row) => row["made_on"]));
      expect(days.length - made.length).toBeLessThanOrEqual(1);
      for (const row of made)
        expect(row["last_on"]).toBe(dayText(dayNumber(row["made_on"] ?? "") - 1));
      const [, ...later] = made;
      expect(later.map((row) => row["first_on"])).toEqual(
        made.slice(0, -1).map((row) => row["made_on"]),
      );
    }
  }
});

test("every due status report was reminded of once", async () => {
  for (const { network, reminders } of year.offices) {
    const { rows } = await year.service.client.query<{ made: number }>(
      "select count(*)::int as made from mails where network_id = $1 and occasion like 'report due:%'",
      [network.id],
    );
    expect([network.name, rows[0]?.made]).toEqual([network.name, reminders]);
  }
});

test("every email was sent, and each month's statements by the network's date", async () => {
  const { client } = year.service;
  const { rows } = await client.query("select status, count(*) from mails group by 1");
  expect(rows.map(({ status }) => status)).toEqual(["sent"]);
  for (const { network, billedThrough, mailsStatements } of year.offices) {
    const months = await client.query<{ month: string }>(
      `select distinct right(occasion, 7) as month from mails
       where network_id = $1 and occasion like 'statement:%' order by 1`,
      [network.id],
    );
    const over = daysUntil(billedThrough).filter((day) => day.endsWith("-01"));
    const ended = over.map((day) => dayText(dayNumber(day) - 1).slice(0, 7));
    const found = months.rows.map(({ month }) => month).filter((month) => month >= "2028");
    const due = mailsStatements ? ended.filter((month) => month >= "2028") : [];
    expect(due.slice(0, found.length)).toEqual(found);
    expect(due.length - found.length).toBeLessThanOrEqual(1); // the last one's date is still to come
  }
});

test("no timestamp comes from another clock", async () => {
  const found = await stampsBefore(year.service.client, `${eve}T00:00:00Z`);
  expect(found).toEqual([]);
});

test("jobs reported nothing to the operator", () => {
  expect(year.service.lines).toEqual([]);
});

test("nothing grows faster than its rows", () => {
  const [third, last] = [year.months[2], year.months.at(-1)];
  if (!third || !last || third === last) return;
  for (const [name, before] of third.tables) {
    const after = last.tables.get(name);
    if (!after || before.rows < enoughRows || after.rows < before.rows) continue;
    const ratio = after.bytes / after.rows / (before.bytes / before.rows);
    expect([name, ratio, ratio <= 1.25]).toEqual([name, ratio, true]);
  }
  // Screens show a page of rows: twice the growth of the ledger is generous, and so are 50 ms on a busy
  // machine.
  const rowsOf = (one: typeof last) => one.tables.get("debits")?.rows ?? 1;
  for (const [screen, ms] of last.screens) {
    const before = third.screens.get(screen);
    if (before === undefined) continue;
    const most = 50 + 2 * before * (rowsOf(last) / rowsOf(third));
    expect([screen, ms, ms <= most]).toEqual([screen, ms, true]);
  }
});

const inOrder = (lines: string[]) => lines.toSorted((a, b) => (a < b ? -1 : 1));

/** The days after the eve through another one, both with it. */
function daysUntil(last: string): string[] {
  const first = dayNumber(eve) + 1;
  return Array.from({ length: dayNumber(last) - first + 1 }, (_, index) => dayText(first + index));
}

function figures(): string {
  const { months, offices } = year;
  const sum = (name: keyof (typeof offices)[number]["done"]) =>
    offices.reduce((total, { done }) => total + done[name], 0);
  const row = (cells: string[]) => `| ${cells.join(" | ")} |`;
  const [third, last] = [months[2], months.at(-1)];
  const lines = [
    `${size.networks} networks of ${size.attorneys} attorneys, ${size.days} days: ${sum("enrolments")} enrolments, ${sum("checks")} checks, ${sum("cards")} card payments, ${sum("referrals")} referrals, ${sum("reports")} status reports, ${sum("endings")} unsubscribed`,
    row(tableHead),
    row(tableHead.map(() => "---")),
    ...months.map((month) => row(tableLine(month))),
    "",
    row([
      "table",
      "rows",
      "bytes a row, third month",
      "at the end",
      "index share",
      "dead",
      "leaf density",
    ]),
    ...[...(last?.tables ?? [])].flatMap(([name, after]) => {
      const before = third?.tables.get(name);
      if (after.rows < enoughRows) return [];
      const perRow = (one?: { bytes: number; rows: number }) =>
        one ? Math.round(one.bytes / Math.max(1, one.rows)).toString() : "";
      const share = `${Math.round((100 * after.indexBytes) / after.bytes)} %`;
      const density = `${before?.leafDensity?.toFixed(0)} → ${after.leafDensity?.toFixed(0)} %`;
      return [
        row([
          name,
          String(after.rows),
          perRow(before),
          perRow(after),
          share,
          String(after.deadRows),
          density,
        ]),
      ];
    }),
    "",
    row(["screen", "ms, third month", "ms at the end"]),
    ...[...(last?.screens ?? [])].map(([screen, ms]) =>
      row([screen, third?.screens.get(screen)?.toFixed(1) ?? "", ms.toFixed(1)]),
    ),
    "",
    row(["job", "longest day of the third month, ms", "of the last"]),
    ...[...(last?.longest ?? [])].map(([job, ms]) =>
      row([job, third?.longest.get(job)?.toFixed(0) ?? "", ms.toFixed(0)]),
    ),
  ];
  return lines.join("\n");
}
