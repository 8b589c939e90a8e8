import { inTurn } from "#tests/support/in-turn.ts";
import type pg from "pg";
import { type CallsWorld, type Lawyer, lawyersWhoOwe } from "./calls-world.ts";
import { databaseLoad, httpLoad, requestText } from "./load.ts";
import { type Server, startServer } from "./process.ts";
import { compareLoads } from "./rounds.ts";
import { attempt } from "./attempt.ts";
import type { Measured, Row } from "./row.ts";
import { expectSame, oneRow, setTriggers, type World } from "./world.ts";

const cents = 100;

/** Warm-up: afterwards each of a process's connections has been used. */
const replanningSeconds = 0.5;

/** Checks recorded by lawyers, beside a transaction of the statements that write the same rows. */
export async function paymentRows(world: World): Promise<Row[]> {
  world.log("Posting checks …");
  // Enough lawyers that each pays only a few times, as lawyers do: the answer lists all their payments.
  const size = { lawyers: world.isQuick ? 4_000 : 16_000, debits: 3 };
  const calls = await lawyersWhoOwe(world, "payments", size);
  const server = await startServer(world);
  try {
    return [
      await attempt(world, "payment posting (check), 32 connections", () =>
        postChecks(world, calls, server),
      ),
    ];
  } finally {
    await server.stop();
  }
}

/** Who pays which debit with which check: everybody once, and everybody again. */
function checkOf(lawyers: Lawyer[], number: number) {
  const lawyer = inTurn(lawyers, number);
  const debitId = inTurn(lawyer.debits, Math.floor(number / lawyers.length));
  return { lawyer, debitId, checkNumber: `C-${number}` };
}

async function postChecks(world: World, calls: CallsWorld, server: Server): Promise<Measured> {
  const { networkId, lawyers } = calls;
  let posted = 0;
  const seconds = (round: number) => (world.isQuick ? 1 : round < 0 ? 1 : 5);
  const post = async (length: number) =>
    await httpLoad(server.port, length, () => {
      const { lawyer, debitId, checkNumber } = checkOf(lawyers, posted++);
      const body = { payment_hash: { [debitId]: "1.00" }, check_number: checkNumber };
      return requestText(
        "POST",
        "/lrs_subscription_check_payments/",
        lawyer.headers,
        JSON.stringify(body),
      );
    });
  const row = await compareLoads({
    rounds: world.isQuick ? 3 : 8,
    server,
    minRatio: 0.5,
    mostP99: 2,
    // Done by the database within a minute anyway: plans made for empty tables are replaced.
    settle: async () => void (await world.client.query("vacuum analyze")),
    raw: async (round) => {
      await setTriggers(world.client, "disable");
      const load = await databaseLoad(
        world.connectionString,
        seconds(round),
        async (client) => await postRaw(client, networkId, checkOf(lawyers, posted++)),
      );
      await setTriggers(world.client, "enable");
      return load;
    },
    product: async (round) => {
      // The raw side's turn altered the tables, which discards each connection's plans. In use, no table is
      // altered between two checks and connections stay open for hours.
      await post(replanningSeconds);
      return await post(seconds(round));
    },
  });
  await expectPosted(world, networkId, posted);
  return row;
}

/** The same rows, without reading anything first. */
async function postRaw(
  client: pg.Client,
  networkId: number,
  { lawyer, debitId, checkNumber }: ReturnType<typeof checkOf>,
): Promise<void> {
  await client.query("begin");
  const { rows: received } = await client.query<{ id: string }>(
    `insert into received_checks (network_id, attorney_id, check_number, amount_cents, received_on, is_whole, created_by)
     values ($1, $2, $3, $4, current_date, false, $5) returning id`,
    [networkId, lawyer.id, checkNumber, cents, lawyer.userId],
  );
  const { rows } = await client.query<{ id: string }>(
    `insert into payments (network_id, attorney_id, method, amount_cents, check_number, received_check_id, created_by)
     values ($1, $2, 'check', $3, $4, $5, $6) returning id`,
    [networkId, lawyer.id, cents, checkNumber, received[0]?.id, lawyer.userId],
  );
  const paymentId = rows[0]?.id;
  await client.query(
    `insert into payment_allocations (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number)
     values ($1, $2, $3, $4, $5, $6)`,
    [networkId, lawyer.id, paymentId, debitId, cents, checkNumber],
  );
  await client.query(
    "update debits set pending_cents = pending_cents + $3 where network_id = $1 and id = $2",
    [networkId, debitId, cents],
  );
  await client.query(
    `insert into audit_entries (network_id, actor_user_id, actor_name, action, record_type, record_id, after)
     values ($1, $2, 'Raw', 'recorded check', 'payment', $3, $4)`,
    [networkId, lawyer.userId, paymentId, JSON.stringify({ checkNumber, amount: "1.00", debitId })],
  );
  await client.query(
    `insert into mails (network_id, occasion, recipient, subject, body)
     values ($1, 'payment recorded:' || $2, 'raw@bench.test', 'Your check is recorded', 'Dear reader, your check is recorded.')`,
    [networkId, paymentId],
  );
  await client.query("commit");
}

async function expectPosted(world: World, networkId: number, posted: number): Promise<void> {
  const found = await oneRow(
    world,
    `select (select count(*) from payments where network_id = $1) as payments,
      (select sum(amount_cents) from payments where network_id = $1) as paid,
      (select sum(amount_cents) from payment_allocations where network_id = $1) as shared,
      (select sum(pending_cents) from debits where network_id = $1) as pending,
      (select count(*) from audit_entries where network_id = $1) as audited,
      (select count(*) from mails where network_id = $1) as receipts`,
    [networkId],
  );
  const sum = posted * cents;
  expectSame("what was posted", found, {
    payments: posted,
    paid: sum,
    shared: sum,
    pending: sum,
    audited: posted,
    receipts: posted,
  });
}
