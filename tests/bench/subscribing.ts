import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { attempt } from "./attempt.ts";
import { type Measured, medianRatio, type Row } from "./row.ts";
import { runCommand, startServer, type Server } from "./process.ts";
import { HttpConnection, requestText } from "./load.ts";
import { type Headers, signInAdmin } from "./session.ts";
import { emptyLedger, expectSame, oneRow, setTriggers, type World } from "./world.ts";

const startDate = "2026-03-01";
const amountCents = 5_000;

/** Warm-up rounds: the server has just started and still compiles. */
const coldRounds = 1;

interface Subscribing {
  world: World;
  networkId: number;
  planId: number;
  attorneys: number;
  isBilled: boolean;
}

/** Everyone on the panel enrolled by one call, with and without the first debits. */
export async function subscribingRows(world: World): Promise<Row[]> {
  const attorneys = world.isQuick ? 30_000 : 100_000;
  world.log(`Subscribing ${attorneys.toLocaleString("en-US")} attorneys …`);
  const network = await makeNetwork(world.db, { name: "Subscribing" });
  await makePanel(world.db, network, attorneys);
  const { id: planId } = await makePlan(world.db, network, { amountCents });
  const networkId = network.id;
  await world.client.query("vacuum analyze");
  const headers = await signInAdmin(world, networkId);
  const server = await startServer(world);
  try {
    const all = { world, networkId, planId, attorneys };
    const everyone = `${attorneys.toLocaleString("en-US")} attorneys`;
    const beginners = world.isQuick ? 20_000 : 60_000;
    return [
      await attempt(world, `subscribe ${everyone} in one call`, () =>
        subscribe({ ...all, isBilled: false }, server, headers),
      ),
      await attempt(world, `subscribe ${everyone} in one call, first debits too`, () =>
        subscribe({ ...all, isBilled: true }, server, headers),
      ),
      await attempt(world, `undo the subscription of ${everyone}`, () =>
        undo({ ...all, isBilled: true }, server, headers),
      ),
      await attempt(world, `import ${beginners.toLocaleString("en-US")}, then subscribe all`, () =>
        importThenSubscribe(beginners, world, server),
      ),
    ];
  } finally {
    await server.stop();
  }
}

async function subscribe(wanted: Subscribing, server: Server, headers: Headers): Promise<Measured> {
  const { world, attorneys } = wanted;
  const raws: number[] = [];
  const products: number[] = [];
  const connection = await HttpConnection.to(server.port);
  const { megabytes } = await server.during(async () => {
    for (let round = 0; round < world.rounds + coldRounds; round += 1) {
      await startOver(wanted);
      await setTriggers(world.client, "disable");
      raws.push(await timed(wanted, () => subscribeRaw(wanted)));
      await setTriggers(world.client, "enable");
      await startOver(wanted);
      products.push(
        await timed(wanted, async () => {
          const answer = await connection.ask(subscribeAll(wanted, headers));
          expectSame("attorneys subscribed", JSON.parse(answer).object.subscribed, attorneys);
        }),
      );
    }
  });
  connection.close();
  await startOver(wanted);
  const warm = (times: number[]) => times.slice(coldRounds);
  const rates = (times: number[]) => warm(times).map((time) => attorneys / time);
  const ratio = medianRatio(warm(raws), warm(products));
  return {
    unit: "rows/s",
    raw: rates(raws),
    product: rates(products),
    peakMegabytes: megabytes,
    limits: [
      { what: "of raw", measured: ratio, least: 0.8 },
      { what: "memory", measured: megabytes, unit: " MB", most: 190 },
    ],
  };
}

/** Undo of a Subscribe all with first debits: its time beside that of enrolling. */
async function undo(wanted: Subscribing, server: Server, headers: Headers): Promise<Measured> {
  const { world, attorneys } = wanted;
  const raws: number[] = [];
  const products: number[] = [];
  const enrolling: number[] = [];
  const connection = await HttpConnection.to(server.port);
  const { megabytes } = await server.during(async () => {
    for (let round = 0; round < world.rounds; round += 1) {
      await startOver(wanted);
      await setTriggers(world.client, "disable");
      await subscribeRaw(wanted);
      raws.push(await timedUndo(wanted, () => undoRaw(wanted)));
      await setTriggers(world.client, "enable");
      await startOver(wanted);
      let batchId = 0;
      enrolling.push(
        await timed(wanted, async () => {
          const answer = await connection.ask(subscribeAll(wanted, headers));
          batchId = JSON.parse(answer).object.batchId;
        }),
      );
      products.push(
        await timedUndo(wanted, async () => {
          const path = `/lrs_subscription_instances/subscribe_all/${batchId}/undo`;
          const answer = await connection.ask(requestText("POST", path, headers, "{}"));
          expectSame("enrolments ended", JSON.parse(answer).object.ended, attorneys);
        }),
      );
    }
  });
  connection.close();
  await startOver(wanted);
  const rates = (times: number[]) => times.map((time) => attorneys / time);
  return {
    unit: "rows/s",
    raw: rates(raws),
    product: rates(products),
    peakMegabytes: megabytes,
    limits: [
      { what: "times enrolling", measured: medianRatio(products, enrolling), most: 3 },
      { what: "memory", measured: megabytes, unit: " MB", most: 190 },
    ],
  };
}

async function timedUndo(wanted: Subscribing, act: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await act();
  const seconds = (performance.now() - begun) / 1000;
  const { attorneys, networkId, planId } = wanted;
  const found = await oneRow(
    wanted.world,
    `select (select enrolled_count from plans where network_id = $1 and id = $2) as counted,
      (select count(*) from enrolments where network_id = $1 and plan_id = $2 and archived_at is null) as enrolled,
      (select coalesce(sum(balance_cents), 0) from debits where network_id = $1) as owed,
      (select count(*) from entries where network_id = $1) as entries,
      (select sum(owed_cents) from entries where network_id = $1) as left`,
    [networkId, planId],
  );
  const expected = { counted: 0, enrolled: 0, owed: 0, entries: 2 * attorneys, left: 0 };
  expectSame("what an undo leaves", found, expected);
  return seconds;
}

async function undoRaw({ world: { client }, networkId, planId }: Subscribing): Promise<void> {
  await client.query("begin");
  await client.query(
    `insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id, note)
     select network_id, 'adjustment', 'receivable', income_account, balance_cents, current_date, attorney_id, id,
       'Subscribe all was undone'
     from debits where network_id = $1`,
    [networkId],
  );
  await client.query("update debits set balance_cents = 0 where network_id = $1", [networkId]);
  await client.query(
    "update enrolments set archived_at = now() where network_id = $1 and plan_id = $2",
    [networkId, planId],
  );
  await client.query("update plans set enrolled_count = 0 where network_id = $1 and id = $2", [
    networkId,
    planId,
  ]);
  await client.query("commit");
}

/**
 * How a network normally begins: a panel is imported and everyone subscribed by the next call, before the
 * database has analyzed it. Each round is a network of its own.
 */
async function importThenSubscribe(
  attorneys: number,
  world: World,
  server: Server,
): Promise<Measured> {
  const size = attorneys.toLocaleString("en-US");
  world.log(`Importing ${size} attorneys and subscribing them …`);
  const raws: number[] = [];
  const products: number[] = [];
  for (let round = 0; round < world.rounds; round += 1) {
    const network = await makeNetwork(world.db, { name: `Beginning ${round}` });
    const networkId = network.id;
    const headers = await signInAdmin(world, networkId);
    await importPanel(world, networkId, attorneys);
    const { id: planId } = await makePlan(world.db, network, { amountCents });
    const all = { world, networkId, planId, attorneys, isBilled: true };
    const connection = await HttpConnection.to(server.port); // no connection stays open while a file is imported
    products.push(
      await timed(all, async () => {
        const answer = await connection.ask(subscribeAll(all, headers));
        expectSame("attorneys subscribed", JSON.parse(answer).object.subscribed, attorneys);
      }),
    );
    connection.close();
    await startOver(all);
    await setTriggers(world.client, "disable");
    raws.push(await timed(all, () => subscribeRaw(all)));
    await setTriggers(world.client, "enable");
    await startOver(all);
  }
  const rates = (times: number[]) => times.map((time) => attorneys / time);
  return {
    unit: "rows/s",
    raw: rates(raws),
    product: rates(products),
    limits: [{ what: "of raw", measured: medianRatio(raws, products), least: 0.8 }],
  };
}

async function importPanel(world: World, networkId: number, attorneys: number): Promise<void> {
  const lines = Array.from(
    { length: attorneys },
    (_, k) => `Ada ${k},O'Brien,ada-${k}@network-${networkId}.bench.test,B${k}`,
  );
  const path = join(world.folder, "panel.csv");
  writeFileSync(path, ["first name,last name,email,bar number", ...lines].join("\n"));
  const { printed } = await runCommand(world, [
    "import-attorneys",
    path,
    "--network",
    String(networkId),
  ]);
  expectSame("attorneys imported", JSON.parse(printed).inserted, attorneys);
}

/** Remove all enrolments and debits. */
export async function startOver({ world, networkId }: Subscribing): Promise<void> {
  await emptyLedger(world, "nothing");
  await world.client.query("update plans set enrolled_count = 0 where network_id = $1", [
    networkId,
  ]);
}

export async function timed(wanted: Subscribing, act: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await act();
  const seconds = (performance.now() - begun) / 1000;
  const { attorneys, isBilled, networkId, planId } = wanted;
  const found = await oneRow(
    wanted.world,
    `select (select enrolled_count from plans where network_id = $1 and id = $2) as counted,
      (select count(distinct attorney_id) from enrolments where network_id = $1 and plan_id = $2) as enrolled,
      (select count(distinct enrolment_id) from debits where network_id = $1) as billed,
      (select coalesce(sum(owed_cents), 0) from entries where network_id = $1) as charged`,
    [networkId, planId],
  );
  const billed = isBilled ? attorneys : 0;
  const expected = {
    counted: attorneys,
    enrolled: attorneys,
    billed,
    charged: billed * amountCents,
  };
  expectSame("who was subscribed", found, expected);
  return seconds;
}

export function subscribeAll({ planId, isBilled }: Subscribing, headers: Headers): string {
  const body = JSON.stringify({
    lrs_subscription_id: planId,
    start_date: startDate,
    bill_immediately: isBilled,
  });
  return requestText("POST", "/lrs_subscription_instances/subscribe_all", headers, body);
}

async function subscribeRaw({ world, networkId, planId, isBilled }: Subscribing): Promise<void> {
  const { client } = world;
  await client.query("begin");
  await client.query(
    `insert into enrolments (network_id, attorney_id, plan_id, start_date, enrolled_on, bills_immediately, first_period)
     select network_id, id, $2, $3, current_date, $4, 0 from attorneys where network_id = $1`,
    [networkId, planId, startDate, isBilled],
  );
  await client.query(
    `update plans set enrolled_count = (select count(*) from enrolments where network_id = $1 and plan_id = $2)
     where network_id = $1 and id = $2`,
    [networkId, planId],
  );
  if (isBilled) {
    await client.query(
      `insert into debits (network_id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents,
         income_account)
       select e.network_id, attorney_id, e.id, first_period, enrolled_on, $3::bigint, $3::bigint,
         'dues_income:' || p.name
       from enrolments e join plans p on p.network_id = e.network_id and p.id = e.plan_id
       where e.network_id = $1 and plan_id = $2`,
      [networkId, planId, amountCents],
    );
    await client.query(
      `insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id)
       select network_id, 'charge', income_account, 'receivable', amount_cents, current_date, attorney_id, id
       from debits where network_id = $1`,
      [networkId],
    );
  }
  await client.query("commit");
}
