import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { aNetworkThatOwes, bill } from "./billing.ts";
import { HttpConnection } from "./load.ts";
import { startServer } from "./process.ts";
import { medianRatio, type Row } from "./row.ts";
import { signInAdmin } from "./session.ts";
import { startOver, subscribeAll, timed } from "./subscribing.ts";
import { emptyLedger, expectSame, setTriggers, type World } from "./world.ts";

const attorneys = 20_000;
const size = attorneys.toLocaleString("en-US");
const everyMs = 200;

/**
 * The first Subscribe all and the first billing run of a database, with and without another session that
 * analyzes the tables the whole time. A first try is rolled back before (docs/decisions/087).
 */
export async function analyzingRows(world: World): Promise<Row[]> {
  return [await subscribingRow(world), await billingRow(world)];
}

async function subscribingRow(world: World): Promise<Row> {
  world.log(`Subscribing ${size} attorneys while others analyze …`);
  await emptyLedger(world, "nothing");
  const network = await makeNetwork(world.db, { name: "Analyzing" });
  await makePanel(world.db, network, attorneys);
  const { id: planId } = await makePlan(world.db, network, { amountCents: 5_000 });
  const all = { world, networkId: network.id, planId, attorneys, isBilled: true };
  const headers = await signInAdmin(world, network.id);
  await world.client.query("vacuum analyze");
  const server = await startServer(world);
  const connection = await HttpConnection.to(server.port);
  const subscribe = async () => {
    const answer = await connection.ask(subscribeAll(all, headers));
    expectSame("attorneys subscribed", JSON.parse(answer).object.subscribed, attorneys);
  };
  try {
    return await comparedRow(world, `subscribe ${size} attorneys, first debits too`, {
      prepare: () => startOver(all),
      act: () => timed(all, subscribe),
    });
  } finally {
    connection.close();
    await startOver(all);
    await server.stop();
  }
}

async function billingRow(world: World): Promise<Row> {
  world.log(`Billing ${size} debits while others analyze …`);
  await emptyLedger(world, "nothing");
  const networkId = await aNetworkThatOwes(world, { attorneys, plans: 1 });
  return await comparedRow(world, `billing run, ${size} debits`, {
    prepare: () => emptyLedger(world, "enrolments"),
    act: async () => (await bill(world, networkId, attorneys)).seconds,
  });
}

interface Compared {
  prepare: () => Promise<void>;
  /** Resolves with the seconds it took. */
  act: () => Promise<number>;
}

async function comparedRow(world: World, name: string, { prepare, act }: Compared): Promise<Row> {
  const alone: number[] = [];
  const disturbed: number[] = [];
  for (let round = 0; round < world.rounds + 1; round += 1) {
    await prepare();
    alone.push(await act());
    await leaveDeadRows(world, prepare);
    disturbed.push(await whileAnalyzed(world, act));
  }
  await prepare();
  const warm = (times: number[]) => times.slice(1); // the server has just been started
  const measured = medianRatio(warm(disturbed), warm(alone));
  return {
    name: `${name}, while another session analyzes`,
    unit: "s",
    product: warm(disturbed),
    limits: [{ what: "times the seconds without it", measured, most: 1.5 }],
  };
}

/** Insert what was just inserted again and roll it back, to leave dead rows. */
async function leaveDeadRows({ client }: World, prepare: () => Promise<void>): Promise<void> {
  await client.query(
    "create temporary table tried as table enrolments; create temporary table billed as table debits",
  );
  await prepare();
  await client.query("begin");
  await setTriggers(client, "disable");
  await client.query("insert into enrolments table tried on conflict do nothing");
  await client.query("insert into debits table billed");
  await client.query("rollback");
  await client.query("drop table tried, billed");
}

/** Another session analyzes the tables that are written to, at intervals, until `done`. */
async function whileAnalyzed<Answer>(world: World, act: () => Promise<Answer>): Promise<Answer> {
  const other = new pg.Client({ connectionString: world.connectionString });
  await other.connect();
  const isDone = new AbortController();
  const analyzing = (async () => {
    while (!isDone.signal.aborted) {
      await other.query("analyze enrolments, debits, entries");
      await pause(everyMs);
    }
  })();
  try {
    return await act();
  } finally {
    isDone.abort();
    await analyzing;
    await other.end();
  }
}
