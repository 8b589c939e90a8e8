import { makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolments } from "#tests/support/records/dues.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { attempt, attemptRows } from "./attempt.ts";
import { type Measured, median, medianRatio, type Row, tableOf } from "./row.ts";
import { expectFromCredit, giveCredit, payFromCreditRaw } from "./credit.ts";
import { runCommand } from "./process.ts";
import { emptyLedger, expectSame, oneRow, setTriggers, type World } from "./world.ts";

const startDate = "2026-03-01";
const asOf = "2026-03-15";
const amountCents = 5_000;

/**
 * Billing runs at the command line, beside the two inserts that write the same debits and charges. Then again
 * with nothing due, and after a kill just before the end.
 */
export async function billingRows(world: World): Promise<Row[]> {
  const attorneys = attorneysOf(world);
  const of = (plans: number) => {
    const name = `${(attorneys * plans).toLocaleString("en-US")} debits`;
    return attemptRows(world, `billing run, ${name}`, () =>
      runRows(world, { name, attorneys, plans }),
    );
  };
  const small = await of(1);
  if (world.isQuick) return small;
  const large = await of(10);
  const rateOf = ([run]: Row[]) => median(run?.product ?? []);
  large[0]?.limits.push({
    what: "of the smaller run's rate",
    measured: rateOf(large) / rateOf(small),
    least: 0.7,
  });
  return [...small, ...large];
}

/** Below this size, a run's fixed cost distorts the rate. */
const attorneysOf = ({ isQuick }: World) => (isQuick ? 60_000 : 100_000);

/** The same with a tenth of the attorneys in credit, which pays part or all of what is billed. */
export async function billingFromCreditRows(world: World): Promise<Row[]> {
  const attorneys = attorneysOf(world);
  const name = `billing run, a tenth in credit, ${attorneys.toLocaleString("en-US")} debits`;
  return [await attempt(world, name, () => billFromCredit(world, attorneys))];
}

async function billFromCredit(world: World, attorneys: number): Promise<Measured> {
  const networkId = await aNetworkThatOwes(world, { attorneys, plans: 1 });
  const raws: number[] = [];
  const runs: Run[] = [];
  for (let round = 0; round < world.rounds; round += 1) {
    for (const side of ["raw", "product"] as const) {
      await giveCredit(world, networkId);
      if (side === "raw")
        raws.push(await billRaw(world, networkId, () => payFromCreditRaw(world, networkId)));
      else runs.push(await bill(world, networkId, attorneys));
      await expectFromCredit(world, networkId, amountCents);
      await emptyLedger(world, "enrolments");
    }
  }
  return {
    unit: "rows/s",
    raw: raws.map((time) => attorneys / time),
    product: secondsOf(runs).map((time) => attorneys / time),
    peakMegabytes: Math.max(...runs.map((run) => run.megabytes)),
    limits: [
      {
        what: "of raw",
        measured: medianRatio(raws, secondsOf(runs)),
        least: 0.8,
      },
    ],
  };
}

const secondsOf = (runs: Run[]) => runs.map(({ seconds }) => seconds);

interface Size {
  attorneys: number;
  plans: number;
}

interface Run {
  seconds: number;
  megabytes: number;
}

/** The run, the repeated run and the resumed run; `name` is the size. */
async function runRows(world: World, { name, ...size }: Size & { name: string }): Promise<Row[]> {
  const due = size.attorneys * size.plans;
  world.log(`Billing ${name} …`);
  const networkId = await aNetworkThatOwes(world, size);
  const raws: number[] = [];
  const runs: Run[] = [];
  const again: Run[] = [];
  const resumed: Run[] = [];
  for (let round = 0; round < world.rounds; round += 1) {
    raws.push(await billRaw(world, networkId));
    await expectBilled(world, networkId, due);
    await emptyLedger(world, "enrolments");
    runs.push(await bill(world, networkId, due));
    await expectBilled(world, networkId, due);
    again.push(await bill(world, networkId, 0));
    await clearBilledThrough(world, networkId);
    resumed.push(await bill(world, networkId, 0));
    await emptyLedger(world, "enrolments");
  }
  const seconds = secondsOf(runs);
  const share = (others: Run[]) => 100 * medianRatio(secondsOf(others), seconds);
  const rates = (times: number[]) => times.map((time) => due / time);
  const row: Row = {
    name: `billing run, ${name}`,
    unit: "rows/s",
    raw: rates(raws),
    product: rates(seconds),
    peakMegabytes: Math.max(...runs.map((run) => run.megabytes)),
    limits: [{ what: "of raw", measured: medianRatio(raws, seconds), least: 0.8 }],
  };
  const shareRow = (what: string, others: Run[], most: number): Row => ({
    name: `${what}, ${name}`,
    unit: "s",
    product: secondsOf(others),
    limits: [{ what: "of the run", measured: share(others), unit: " %", most }],
  });
  const shares = [
    shareRow("run again, nothing due", again, 2),
    shareRow("resume, all debits there", resumed, 15),
  ];
  world.log(`${tableOf([row, ...shares])}\n`); // the larger run is slow
  return [row, ...shares];
}

export async function aNetworkThatOwes(world: World, { attorneys, plans }: Size): Promise<number> {
  const network = await makeNetwork(world.db, { name: `Billing ${attorneys * plans}` });
  const panel = await makePanel(world.db, network, attorneys);
  for (let made = 0; made < plans; made += 1) {
    const plan = await makePlan(world.db, network, { amountCents });
    await makeEnrolments(world.db, panel, plan, { startDate, enrolledOn: "2026-02-28" });
  }
  await world.client.query("vacuum analyze");
  return network.id;
}

/** Only the inserts, without schedule, checks or triggers, in one transaction. Foreign keys hold. */
async function billRaw(
  { client }: World,
  networkId: number,
  more: () => Promise<void> = async () => undefined,
): Promise<number> {
  await setTriggers(client, "disable");
  const begun = performance.now();
  await client.query("begin");
  await client.query(
    `with run as (
       insert into billing_runs (network_id, as_of, started_by) values ($1, $2, 'Raw') returning id)
     insert into debits (network_id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents, billing_run_id,
       income_account)
     select e.network_id, e.attorney_id, e.id, 0, e.start_date, p.amount_cents, p.amount_cents, run.id,
       'dues_income:' || p.name
     from enrolments e join plans p on p.network_id = e.network_id and p.id = e.plan_id cross join run
     where e.network_id = $1`,
    [networkId, asOf],
  );
  await client.query(
    `insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id)
     select network_id, 'charge', income_account, 'receivable', amount_cents, $2::date, attorney_id, id
     from debits where network_id = $1`,
    [networkId, asOf],
  );
  await more();
  await client.query("commit");
  const seconds = (performance.now() - begun) / 1000;
  await setTriggers(client, "enable");
  return seconds;
}

/** `billing` at the command line: the seconds that the run reports. */
export async function bill(world: World, networkId: number, due: number): Promise<Run> {
  const args = ["billing", "--network", String(networkId), "--as-of", asOf];
  const { printed, megabytes } = await runCommand(world, args);
  const [run] = JSON.parse(printed).runs;
  expectSame("debits of the run", run.debits, due);
  return { seconds: run.seconds, megabytes };
}

async function expectBilled(world: World, networkId: number, due: number): Promise<void> {
  const found = await oneRow(
    world,
    `select count(*) as debits, sum(balance_cents) as owed, count(distinct enrolment_id) as enrolments,
      (select count(*) from entries where network_id = $1 and debit_id is not null) as entries,
      (select sum(owed_cents) from entries where network_id = $1) as charged
     from debits where network_id = $1`,
    [networkId],
  );
  const cents = due * amountCents;
  const expected = { debits: due, owed: cents, enrolments: due, entries: due, charged: cents };
  expectSame("what was billed", found, expected);
}

/** As after a run that was killed when everything was billed but not yet marked so. */
async function clearBilledThrough({ client }: World, networkId: number): Promise<void> {
  await client.query("update billing_progress set billed_through = null where network_id = $1", [
    networkId,
  ]);
}
