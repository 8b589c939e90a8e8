import { sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { analyzeAfterBulkInsert, analyzeReferred } from "#kit/db/planner-settings.ts";
import { lockBilling } from "#dues/ledger/billing.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { makeLawyer, towns } from "#main/demo/people.ts";
import { type Random, seededRandom, randomInteger } from "#main/demo/random.ts";
import { makeAttorneys } from "#main/demo/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { seededRandomSql } from "#main/demo/seeded-random-sql.ts";
import { type SeededPayments, seedPayments } from "#main/demo/seed-payments.ts";
import { usualPlans } from "#main/demo/usual-plans.ts";

export interface SeedOptions {
  attorneys: number;
  plans: number;
  /** How far back the billing history goes. */
  months: number;
  /** The same number makes the same records. */
  seed: number;
}

export interface SeedResult extends SeededPayments {
  attorneys: number;
  plans: number;
  enrolments: number;
  debits: number;
}

type OnProgress = (doing: string, share?: number) => void;

/**
 * Fill a network with made-up attorneys and plans, enrol them some months ago, bill every month since as the product
 * does, and pay and adjust some debits. Everyone is in the first, monthly plan, about a third in each other one.
 * Attorneys and enrolments are one transaction, each billing run its own, so an interruption keeps what was committed.
 */
export async function seed(
  db: Db,
  author: ChangeAuthor,
  wanted: SeedOptions & { today: PlainDate },
  onProgress: OnProgress = () => undefined,
): Promise<SeedResult> {
  const { months, today } = wanted;
  const start = today.subtract({ months });
  const made = await inTransaction(db, (tx) =>
    enrolPanel(tx, author, { ...wanted, start }, onProgress),
  );
  let debits = 0;
  for (let month = 1; month <= months; month += 1) {
    const run = await runBilling(db, author, today.subtract({ months: months - month }), {
      onProgress: (share) => onProgress(`Billing month ${month} of ${months}`, share),
    });
    debits += run.debits;
  }
  onProgress("Paying and adjusting");
  const money = await inTransaction(db, (tx) =>
    seedPayments(tx, author, { attorneyIds: made.attorneyIds, seed: wanted.seed, debits, today }),
  );
  const { attorneyIds, plans, enrolments } = made;
  return { attorneys: attorneyIds.length, plans, enrolments, debits, ...money };
}

async function enrolPanel(
  tx: Db,
  author: ChangeAuthor,
  wanted: SeedOptions & { start: PlainDate; today: PlainDate },
  onProgress: OnProgress,
) {
  const random = seededRandom(wanted.seed);
  await lockBilling(tx, author.networkId);
  const attorneyIds = await addPanel(tx, author, { ...wanted, random }, onProgress);
  const planIds = await addPlans(tx, author, { ...wanted, random });
  onProgress("Enrolling");
  await analyzeReferred(tx, attorneyIds.length, "attorneys");
  const enrolments = await enrolAttorneys(tx, author, { ...wanted, attorneyIds, planIds });
  await analyzeAfterBulkInsert(tx, attorneyIds.length + enrolments, ["attorneys", "enrolments"]);
  const counts = { plans: planIds.length, enrolments };
  await audit(tx, author, {
    action: "seeded",
    recordType: "network",
    recordId: author.networkId,
    after: { attorneys: attorneyIds.length, ...counts, seed: wanted.seed },
  });
  notifyOnCommit(tx, author.networkId, null);
  return { attorneyIds, ...counts };
}

const batchSize = 1000;

async function addPanel(
  tx: Db,
  { networkId }: ChangeAuthor,
  wanted: { attorneys: number; start: PlainDate; random: Random },
  onProgress: OnProgress,
): Promise<number[]> {
  const { known } = await tx
    .selectFrom("attorneys")
    .select((count) => count.fn.countAll<number>().as("known"))
    .where("networkId", "=", networkId)
    .executeTakeFirstOrThrow();
  const ids: number[] = [];
  while (ids.length < wanted.attorneys) {
    onProgress("Adding attorneys", ids.length / wanted.attorneys);
    const size = Math.min(batchSize, wanted.attorneys - ids.length);
    const people = Array.from({ length: size }, (_, index) => ({
      ...makeLawyer(wanted.random, known + ids.length + index + 1, towns),
      createdAt: wanted.start.toString(),
    }));
    ids.push(...(await makeAttorneys(tx, { id: networkId }, people)));
  }
  return ids;
}

async function addPlans(
  tx: Db,
  { networkId }: ChangeAuthor,
  wanted: { plans: number; start: PlainDate; random: Random },
): Promise<number[]> {
  const offered = Object.values(usualPlans);
  const ids: number[] = [];
  while (ids.length < wanted.plans) {
    const series = Math.floor(ids.length / offered.length) + 1;
    const plan = offered[ids.length % offered.length];
    const made = await makePlan(
      tx,
      { id: networkId },
      {
        ...plan,
        name: series === 1 ? plan?.name : `${plan?.name} ${series}`,
        amountCents: randomInteger(wanted.random, 4, 60) * 500,
        createdAt: wanted.start.toString(),
      },
    );
    ids.push(made.id);
  }
  return ids;
}

/** Enrolments start on one of the first 28 days of the first month, so all have equally many periods. */
async function enrolAttorneys(
  tx: Db,
  { networkId }: ChangeAuthor,
  wanted: {
    attorneyIds: number[];
    planIds: number[];
    start: PlainDate;
    today: PlainDate;
    seed: number;
  },
): Promise<number> {
  const today = wanted.today.toString();
  const key = (what: string) => sql`${what} || a.number || ':' || p.number`;
  const { numAffectedRows } = await sql`
    insert into enrolments (network_id, attorney_id, plan_id, start_date, enrolled_on,
      bills_immediately, first_period, created_at)
    select ${networkId}::bigint, a.id, p.id, day, least(day, ${today}::date), day <= ${today}::date, 0,
      least(day, ${today}::date)
    from unnest(${wanted.attorneyIds}::bigint[]) with ordinality as a (id, number)
    cross join unnest(${wanted.planIds}::bigint[]) with ordinality as p (id, number)
    cross join lateral (
      select ${wanted.start.toString()}::date + 1
        + floor(28 * ${seededRandomSql(wanted.seed, key("day "))})::integer as day
    ) as chosen
    where p.number = 1 or ${seededRandomSql(wanted.seed, key("plan "))} < 0.33
    order by a.number, p.number`.execute(tx);
  await tx
    .updateTable("billingProgress")
    .set({ billedThrough: wanted.start.toString() })
    .where("networkId", "=", networkId)
    .where("billedThrough", ">", wanted.start.toString())
    .execute();
  return Number(numAffectedRows ?? 0);
}
