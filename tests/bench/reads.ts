import { inTransaction } from "#kit/db/transaction.ts";
import { makeChecks } from "#tests/support/records/checks.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { inTurn } from "#tests/support/in-turn.ts";
import type pg from "pg";
import { type CallsWorld, lawyersWhoOwe } from "./calls-world.ts";
import { databaseLoad, HttpConnection, httpLoad, requestText } from "./load.ts";
import { type Server, startServer } from "./process.ts";
import { compareLoads } from "./rounds.ts";
import { attempt } from "./attempt.ts";
import type { Measured, Row } from "./row.ts";
import type { Headers } from "./session.ts";
import { expectSame, type World } from "./world.ts";

const debits = 60;

/** The dashboard of lawyers with 60 debits, then single records, on 32 connections each. */
export async function readRows(world: World): Promise<Row[]> {
  world.log("Reading …");
  const lawyers = world.isQuick ? 200 : 1_000;
  const calls = await lawyersWhoOwe(world, "reads", { lawyers, debits });
  await somethingToRead(world, calls);
  const server = await startServer(world);
  const bare = await startServer(world, { program: ["tests/bench/bare-server.ts"] });
  try {
    const rows = [
      await attempt(world, `attorney dashboard, ${debits} debits, 32 connections`, () =>
        readDashboards(world, calls, server),
      ),
    ];
    for (const { name, ...record } of await recordsOf(world, calls))
      rows.push(
        await attempt(world, `${name}, 32 connections`, () =>
          readRecord(world, record, { server, bare }),
        ),
      );
    return rows;
  } finally {
    await Promise.all([server.stop(), bare.stop()]);
  }
}

const secondsOf = (world: World, round: number) => (world.isQuick ? 0.35 : round < 0 ? 1 : 5);

async function readDashboards(world: World, calls: CallsWorld, server: Server): Promise<Measured> {
  const { networkId, lawyers } = calls;
  const get = (number: number) => {
    const lawyer = inTurn(lawyers, number);
    return requestText("GET", `/attorneys/${lawyer.id}`, lawyer.headers);
  };
  const connection = await HttpConnection.to(server.port);
  const { object } = JSON.parse(await connection.ask(get(7)));
  connection.close();
  expectSame("debits on the dashboard", object.debits.length, debits);
  expectSame("what is owed in all", object.balance, `${debits * 500}.00`);
  return await compareLoads({
    rounds: world.isQuick ? 3 : 5,
    server,
    minRatio: 0.75,
    mostP99: 2.5,
    raw: (round) =>
      databaseLoad(world.connectionString, secondsOf(world, round), (client, number) =>
        readRaw(client, networkId, inTurn(lawyers, number).id),
      ),
    product: (round) => httpLoad(server.port, secondsOf(world, round), get),
  });
}

/** The attorney with the enrolments, the debts and the payments. */
async function readRaw(client: pg.Client, networkId: number, id: number): Promise<void> {
  await client.query(
    `select a.*, e.*, p.* from attorneys a
     left join enrolments e on e.network_id = a.network_id and e.attorney_id = a.id and e.archived_at is null
     left join plans p on p.network_id = e.network_id and p.id = e.plan_id
     where a.network_id = $1 and a.id = $2`,
    [networkId, id],
  );
  const { rows } = await client.query(
    `select d.*, p.name, p.description, e.note from debits d
     join enrolments e on e.network_id = d.network_id and e.id = d.enrolment_id
     join plans p on p.network_id = e.network_id and p.id = e.plan_id
     where d.network_id = $1 and d.attorney_id = $2 and d.balance_cents > 0 order by d.due_on, d.id`,
    [networkId, id],
  );
  await client.query(
    `select s.*, p.name, p.description, e.note from payment_allocations s
     join debits d on d.network_id = s.network_id and d.id = s.debit_id
     join enrolments e on e.network_id = d.network_id and e.id = d.enrolment_id
     join plans p on p.network_id = e.network_id and p.id = e.plan_id
     where s.network_id = $1 and s.attorney_id = $2 order by s.id desc limit 1000`,
    [networkId, id],
  );
  if (rows.length !== debits) throw new Error("The raw statements do not find all debits.");
}

interface SingleRecord {
  name: string;
  path: string;
  /** The statements of a server without our code for the same answer. */
  statement: string;
  headers: Headers;
  minRatio: number;
}

async function recordsOf(world: World, calls: CallsWorld): Promise<SingleRecord[]> {
  const { networkId, admin, lawyers } = calls;
  const { rows } = await world.client.query<{ matter: string; payment: string }>(
    `select (select min(id) from matters where network_id = $1) as matter,
      (select min(id) from payments where network_id = $1) as payment`,
    [networkId],
  );
  const { matter, payment } = rows[0] ?? {};
  const lawyer = inTurn(lawyers, 0);
  return [
    {
      name: "a referral",
      path: `/matters/${matter}`,
      statement: `select m.*, a.first_name, a.last_name from matters m
        left join attorneys a on a.network_id = m.network_id and a.id = m.attorney_id
        where m.network_id = ${networkId} and m.id = ${matter}`,
      headers: admin,
      minRatio: 0.5,
    },
    {
      name: "the network's settings",
      path: "/legal_networks/settings",
      statement: `select * from networks where id = ${networkId}`,
      headers: admin,
      minRatio: 0.5,
    },
    {
      name: "a receipt",
      path: `/payments/${payment}/receipt`,
      statement: `select p.*, s.*, d.due_on, a.first_name, a.last_name, n.name from payments p
        join payment_allocations s on s.network_id = p.network_id and s.payment_id = p.id
        join debits d on d.network_id = s.network_id and d.id = s.debit_id
        join attorneys a on a.network_id = p.network_id and a.id = p.attorney_id
        join networks n on n.id = p.network_id
        where p.network_id = ${networkId} and p.id = ${payment}`,
      headers: admin,
      minRatio: 0.5,
    },
    {
      name: "who is signed in",
      path: "/session",
      statement: `select u.* from users u where u.id = ${lawyer.userId}`,
      headers: lawyer.headers,
      minRatio: 0.75,
    },
  ];
}

async function readRecord(
  world: World,
  { path, statement, headers, minRatio }: Omit<SingleRecord, "name">,
  { server, bare }: { server: Server; bare: Server },
): Promise<Measured> {
  const bareRequest = requestText("GET", "/record", {
    "x-statement": statement.replaceAll(/\s+/g, " "),
  });
  const request = requestText("GET", path, headers);
  return await compareLoads({
    rounds: 9, // short rounds: a shared machine's disturbance of up to a third of them is ignored
    server,
    minRatio,
    raw: (round) => httpLoad(bare.port, secondsOf(world, round), () => bareRequest),
    product: (round) => httpLoad(server.port, secondsOf(world, round), () => request),
  });
}

/** A referral and a check of each lawyer, to read. */
async function somethingToRead({ db, client }: World, calls: CallsWorld): Promise<void> {
  const network = { id: calls.networkId };
  for (const attorney of calls.lawyers) await makeMatter(db, network, { attorney });
  const checks = calls.lawyers.map((lawyer) => ({
    attorneyId: lawyer.id,
    checkNumber: "1001",
    shares: [{ debitId: inTurn(lawyer.debits, 0), amountCents: 1_00 }],
  }));
  await inTransaction(db, (tx) => makeChecks(tx, network, checks));
  await client.query("vacuum analyze");
}
