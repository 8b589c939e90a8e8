import { sql } from "kysely";
import { migrate } from "#kit/db/migrate.ts";
import { makeDemo } from "#main/demo.ts";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { sessionCookieName } from "#kit/http/session.ts";
import { Temporal } from "temporal-polyfill";
import type { Session } from "#tests/resilience/faults/caller.ts";
import type { Cluster } from "#tests/resilience/faults/database.ts";
import { takesCards } from "#tests/support/card-network.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { aFirm } from "#tests/support/received-checks.ts";
import { aSession } from "#tests/support/visitor.ts";

/** A signed-in attorney who owes something. */
export interface Payer {
  attorneyId: number;
  session: Session;
  debits: number[];
}

/** The start of every round: a network that was not billed for months, with money to be moved. */
export interface Scene {
  networkId: number;
  admin: Session;
  payers: Payer[];
  /** The law firm of all attorneys. */
  firm: number;
  /** Plans without enrolments. */
  newPlans: number[];
  /** A plan to which everyone is subscribed by mistake. */
  mistakenPlan: number;
}

export const secret = "the fault suite keeps no secrets at all";
export const template = "faults_template";

const payers = 6;
const debitsEach = 8;
const enrolmentsEach = 10;

/** Make the template database; its demo makes the product open its card sandboxes. */
export async function makeScene(cluster: Cluster, attorneys: number): Promise<Scene> {
  await cluster.ask("referral_network", `create database ${template}`);
  await migrate(cluster.addressOf(template));
  const pool = openPool({ connectionString: cluster.addressOf(template), connections: 2 });
  try {
    await makeDemo(pool, () => Temporal.Now.instant());
    return await makeRecords(openDatabase(pool), attorneys);
  } finally {
    await pool.end();
  }
}

async function makeRecords(db: Db, attorneys: number): Promise<Scene> {
  const network = await makeNetwork(db, { name: "Faultline Bar", timeZone: "America/New_York" });
  await takesCards({ db, secret }, network, "anet");
  await enrolPanel(db, network, attorneys);
  const newPlans = [];
  for (const name of ["First", "Second", "Third", "Fourth"])
    newPlans.push((await makePlan(db, network, { name })).id);
  const debtors = await somePayers(db, network);
  return {
    networkId: network.id,
    admin: await sessionOf(db, network.admin.userId),
    payers: debtors,
    firm: await aFirm(
      db,
      network,
      debtors.map(({ attorneyId }) => ({ id: attorneyId })),
    ),
    newPlans,
    mistakenPlan: (await makePlan(db, network, { name: "Mistaken" })).id,
  };
}

/** Everyone enrolled since three months ago, each on dates of their own, and no billing run since. */
async function enrolPanel(db: Db, network: MadeNetwork, attorneys: number): Promise<void> {
  const plan = await makePlan(db, network, { name: "Panel dues" });
  const panel = await makePanel(db, network, attorneys);
  await sql`insert into enrolments (network_id, attorney_id, plan_id, start_date, enrolled_on,
      bills_immediately, first_period)
    select ${network.id}, attorney_id, ${plan.id}, day, day, true, 0
    from unnest(${panel}::bigint[]) as attorney_id, generate_series(1, ${enrolmentsEach}) as k
    cross join lateral (
      select (current_date - interval '3 months')::date - (attorney_id * 7 + k * 3)::integer % 31 as day
    ) as chosen`.execute(db);
}

async function somePayers(db: Db, network: MadeNetwork): Promise<Payer[]> {
  const made: Payer[] = [];
  for (let n = 0; n < payers; n += 1) {
    const attorney = await makeAttorney(db, network);
    const debits = [];
    for (let k = 0; k < debitsEach; k += 1)
      debits.push(await makeDebit(db, network, attorney, { amountCents: 10_000 }));
    const { userId } = await makeAccount(db, network, attorney);
    made.push({ attorneyId: attorney.id, session: await sessionOf(db, userId), debits });
  }
  return made;
}

async function sessionOf(db: Db, userId: number): Promise<Session> {
  const { cookie, csrf } = await aSession({ db, secret }, userId);
  return { cookie: `${sessionCookieName(false)}=${cookie}`, csrf };
}
