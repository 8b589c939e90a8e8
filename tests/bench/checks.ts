import type pg from "pg";
import { inTurn } from "#tests/support/in-turn.ts";
import { type CallsWorld, type Lawyer, lawyersWhoOwe } from "./calls-world.ts";
import { databaseLoad, HttpConnection, httpLoad, requestText } from "./load.ts";
import { type Server, startServer } from "./process.ts";
import { compareLoads } from "./rounds.ts";
import { attempt } from "./attempt.ts";
import { type Measured, median, type Row } from "./row.ts";
import { expectSame, oneRow, setTriggers, type World } from "./world.ts";

const lawyersEach = 10;
const debitsEach = 5;
const shareCents = 100;
const parts = lawyersEach * debitsEach;
const mostSeconds = 2;
/** By one call. */
const approved = 500;

interface Firm {
  id: number;
  lawyers: Lawyer[];
}

/** Firms' checks recorded by administrators, and hundreds of checks approved by one call. */
export async function checkRows(world: World): Promise<Row[]> {
  world.log("Recording checks of firms …");
  const lawyers = (world.isQuick ? 50 : 200) * lawyersEach;
  const calls = await lawyersWhoOwe(world, "checks", { lawyers, debits: debitsEach });
  const firms = await someFirms(world, calls);
  const server = await startServer(world);
  try {
    return [
      await attempt(world, "recording a check over 50 debits of 10 attorneys, 32 connections", () =>
        recordChecks(world, { calls, firms, server }),
      ),
      await attempt(world, `approving ${approved} checks in one call`, () =>
        approveChecks(world, { calls, server }),
      ),
    ];
  } finally {
    await server.stop();
  }
}

/** Every ten lawyers form a firm. */
async function someFirms({ client }: World, { networkId, lawyers }: CallsWorld): Promise<Firm[]> {
  const firms: Firm[] = [];
  for (let from = 0; from < lawyers.length; from += lawyersEach) {
    const members = lawyers.slice(from, from + lawyersEach);
    const { rows } = await client.query<{ id: string }>(
      "insert into firms (network_id, name) values ($1, 'Firm ' || $2) returning id",
      [networkId, from],
    );
    const id = Number(rows[0]?.id);
    await client.query("update attorneys set firm_id = $3 where network_id = $1 and id = any($2)", [
      networkId,
      members.map((lawyer) => lawyer.id),
      id,
    ]);
    firms.push({ id, lawyers: members });
  }
  await client.query("vacuum analyze");
  return firms;
}

/**
 * One check over 50 debits of 10 lawyers, beside a transaction of the statements that write the same rows.
 */
async function recordChecks(
  world: World,
  { calls, firms, server }: { calls: CallsWorld; firms: Firm[]; server: Server },
): Promise<Measured> {
  let recorded = 0;
  const seconds = (round: number) => (world.isQuick ? 1 : round < 0 ? 1 : 5);
  const row = await compareLoads({
    rounds: world.isQuick ? 3 : 8,
    server,
    minRatio: 0.4,
    settle: async () => void (await world.client.query("vacuum analyze")),
    raw: async (round) => {
      await setTriggers(world.client, "disable");
      const load = await databaseLoad(
        world.connectionString,
        seconds(round),
        async (client, number) => {
          recorded += 1;
          await recordRaw(
            client,
            calls.networkId,
            inTurn(firms, number),
            `R${round + 1000}X${number}`,
          );
        },
      );
      await setTriggers(world.client, "enable");
      return load;
    },
    product: (round) =>
      httpLoad(server.port, seconds(round), (number) => {
        recorded += 1;
        const firm = inTurn(firms, number);
        const debits = firm.lawyers.flatMap((lawyer) => lawyer.debits);
        const body = {
          check_number: `P${round + 1000}X${number}`,
          amount: ((parts * shareCents) / 100).toFixed(2),
          received_on: yesterday(),
          firm_id: firm.id,
          shares: Object.fromEntries(debits.map((id) => [id, (shareCents / 100).toFixed(2)])),
        };
        return requestText("POST", "/checks", calls.admin, JSON.stringify(body));
      }),
  });
  const found = await oneRow(
    world,
    `select (select count(*) from received_checks where network_id = $1) as checks,
      (select count(*) from payments where network_id = $1) as payments,
      (select sum(amount_cents) from payment_allocations where network_id = $1) as shared,
      (select sum(pending_cents) from debits where network_id = $1) as pending,
      (select count(*) from audit_entries where network_id = $1) as audited,
      (select count(*) from mails where network_id = $1) as receipts`,
    [calls.networkId],
  );
  expectSame("what was recorded", found, {
    checks: recorded,
    payments: recorded * lawyersEach,
    shared: recorded * parts * shareCents,
    pending: recorded * parts * shareCents,
    audited: recorded,
    receipts: recorded * lawyersEach,
  });
  return row;
}

const yesterday = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

/** The same rows, without reading anything first. */
async function recordRaw(client: pg.Client, networkId: number, firm: Firm, checkNumber: string) {
  const lawyers = firm.lawyers.map((lawyer) => lawyer.id);
  await client.query("begin");
  const { rows: received } = await client.query<{ id: string }>(
    `insert into received_checks (network_id, firm_id, check_number, amount_cents, received_on, created_by)
     values ($1, $2, $3, $4, current_date - 1, null) returning id`,
    [networkId, firm.id, checkNumber, parts * shareCents],
  );
  const checkId = received[0]?.id;
  const { rows: payments } = await client.query<{ id: string; attorney_id: string }>(
    `insert into payments (network_id, attorney_id, method, amount_cents, check_number, received_check_id)
     select $1, attorney_id, 'check', $3, $4, $5 from unnest($2::bigint[]) as attorney_id
     returning id, attorney_id`,
    [networkId, lawyers, debitsEach * shareCents, checkNumber, checkId],
  );
  const paymentOf = new Map(payments.map((payment) => [Number(payment.attorney_id), payment.id]));
  const shares = firm.lawyers.flatMap((lawyer) =>
    lawyer.debits.map((debitId) => ({ lawyer: lawyer.id, debitId })),
  );
  await client.query(
    `insert into payment_allocations (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number)
     select $1, attorney_id, payment_id, debit_id, $5, $6
     from unnest($2::bigint[], $3::bigint[], $4::bigint[]) as share (attorney_id, payment_id, debit_id)`,
    [
      networkId,
      shares.map(({ lawyer }) => lawyer),
      shares.map(({ lawyer }) => paymentOf.get(lawyer)),
      shares.map(({ debitId }) => debitId),
      shareCents,
      checkNumber,
    ],
  );
  await client.query(
    "update debits set pending_cents = pending_cents + $3 where network_id = $1 and id = any($2::bigint[])",
    [networkId, shares.map(({ debitId }) => debitId), shareCents],
  );
  const noted = {
    checkNumber,
    amount: "50.00",
    debits: shares.map(({ debitId }) => [debitId, "1.00"]),
  };
  await client.query(
    `insert into audit_entries (network_id, actor_name, action, record_type, record_id, after)
     values ($1, 'Raw', 'recorded check', 'received check', $2, $3)`,
    [networkId, checkId, JSON.stringify(noted)],
  );
  await client.query(
    `insert into mails (network_id, occasion, recipient, subject, body)
     select $1, 'payment recorded:' || id, 'raw@bench.test', 'Your check is recorded', repeat('Dear reader, your check is recorded. ', 12)
     from unnest($2::bigint[]) as id`,
    [networkId, payments.map(({ id }) => id)],
  );
  await client.query("commit");
}

/** Checks, each of one lawyer over two debits, approved by one call. */
async function approveChecks(
  world: World,
  { calls, server }: { calls: CallsWorld; server: Server },
): Promise<Measured> {
  const times: number[] = [];
  const connection = await HttpConnection.to(server.port);
  const { megabytes } = await server.during(async () => {
    for (let round = 0; round < world.rounds; round += 1) {
      const approve = await recordMany(connection, calls, {
        count: approved,
        prefix: `A${round}-`,
      });
      await world.client.query("vacuum analyze");
      const begun = performance.now();
      const answer = await fetch(`http://127.0.0.1:${server.port}/checks/decide`, {
        method: "POST",
        headers: calls.admin,
        body: JSON.stringify({ approve }),
      });
      const { object } = (await answer.json()) as { object: { status: string }[] };
      times.push((performance.now() - begun) / 1000);
      expectSame(
        "checks approved",
        object.filter(({ status }) => status === "approved").length,
        approved,
      );
    }
  });
  connection.close();
  return {
    unit: "s",
    product: times,
    peakMegabytes: megabytes,
    limits: [
      { what: "for one call", measured: median(times), unit: " s", most: mostSeconds },
      { what: "memory", measured: megabytes, unit: " MB", most: 190 },
    ],
  };
}

async function recordMany(
  connection: HttpConnection,
  { admin, lawyers }: CallsWorld,
  { count, prefix }: { count: number; prefix: string },
): Promise<number[]> {
  const ids: number[] = [];
  for (let number = 0; number < count; number += 1) {
    const lawyer = inTurn(lawyers, number);
    const debits = lawyer.debits.slice(0, 2);
    const body = {
      check_number: `${prefix}${number}`,
      amount: "2.00",
      received_on: yesterday(),
      attorney_id: lawyer.id,
      shares: Object.fromEntries(debits.map((id) => [id, "1.00"])),
    };
    const request = requestText("POST", "/checks", admin, JSON.stringify(body));
    ids.push(JSON.parse(await connection.ask(request)).object.id);
  }
  return ids;
}
