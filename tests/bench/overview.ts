import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { plainDate } from "#kit/domain/calendar.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { readOverview } from "#office/desk/today/overview.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";
import { aLargeNetwork } from "#tests/support/many-matters.ts";
import { attempt } from "./attempt.ts";
import { type Measured, percentile, type Row } from "./row.ts";
import { expectSame, type World } from "./world.ts";

const today = plainDate("2026-06-20");
const runs = 15;

/**
 * The overview of a network of 2,000 attorneys, 100,000 debits and 100,000 open referrals, beside another
 * network: once when a billing run has finished and nothing changed since, and once when every enrolment's
 * debits have to be counted.
 */
export async function overviewRows(world: World): Promise<Row[]> {
  const { db, isQuick, log } = world;
  const size = isQuick ? 10 : 1;
  log("Making a network with a year of dues and referrals …");
  await aBusyNetwork(world, { attorneys: 200 / size, openMatters: 10_000 / size });
  const attorneys = 2000 / size;
  const network = await aBusyNetwork(world, { attorneys, openMatters: 100_000 / size });
  await world.client.query("vacuum analyze");
  const { months, aging } = await readOverview(db, network.admin, { today, sendsMail: true });
  const billed = attorneys * 50 * 5000;
  const sums = months.reduce(
    (added, month) => [added[0] + month.billed, added[1] + month.received] as const,
    [0, 0] as readonly [number, number],
  );
  expectSame("billed in the year", sums[0], billed);
  expectSame("billed less received", sums[0] - sums[1], aging.total);
  const name = "overview of 100,000 debits and referrals";
  const closed = await attempt(world, `${name}, billed through today`, () =>
    timesOf(world, network),
  );
  await db.updateTable("billingProgress").set({ billedChecksum: null }).execute();
  const counted = await attempt(world, `${name}, every enrolment counted`, () =>
    timesOf(world, network),
  );
  return [closed, counted];
}

async function timesOf({ db }: World, network: MadeNetwork): Promise<Measured> {
  const times: number[] = [];
  for (let run = -2; run < runs; run += 1) {
    const took = await inTransaction(db, async (tx) => {
      const begun = performance.now();
      await readOverview(tx, network.admin, { today, sendsMail: true });
      return performance.now() - begun;
    });
    if (run >= 0) times.push(took);
  }
  return {
    unit: "s",
    product: times.map((time) => time / 1000),
    p50: { product: percentile(times, 0.5) },
    limits: [{ what: "median", measured: percentile(times, 0.5), unit: " ms", most: 50 }],
  };
}

async function aBusyNetwork(
  { db, client }: World,
  size: { attorneys: number; openMatters: number },
): Promise<MadeNetwork> {
  const network = await aLargeNetwork(db, { ...size, today: today.toString() });
  // Made over a year: at most one report in ten is overdue, one in four is retained, one in forty has no
  // attorney.
  await sql`update matters set referred_at = ${today.toString()}::timestamptz - id % 365 * interval '1 day'
    where network_id = ${network.id}`.execute(db);
  await sql`update matters set report_due_on = ${today.toString()}::date + (id % 30)::integer
    where network_id = ${network.id} and status = 'open' and id % 10 <> 0`.execute(db);
  await sql`insert into matter_reports (network_id, matter_id, attorney_id, outcome, filed_on)
    select network_id, id, attorney_id, 'retained', referred_at::date from matters
    where network_id = ${network.id} and id % 4 = 0`.execute(db);
  await sql`update matters set status = 'new', attorney_id = null, referred_at = null, report_due_on = null
    where network_id = ${network.id} and status = 'open' and id % 40 = 1`.execute(db);
  const text = readFileSync(new URL("dues-to-count.sql", import.meta.url), "utf8");
  await client.query(text.replaceAll(":network", String(network.id)));
  await client.query(
    "update billing_progress set billed_through = '2026-06-20', billed_checksum = billing_checksum()",
  );
  return network;
}
