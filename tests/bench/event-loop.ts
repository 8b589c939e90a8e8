import { readFileSync } from "node:fs";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeCardAccount } from "#main/demo/records/cards.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { changeLogoOf } from "#access/networks/brand.ts";
import { fillLists } from "#tests/support/full-lists.ts";
import { aPng } from "#tests/support/pictures.ts";
import { ask } from "./ask.ts";
import { everyGet, type Largest } from "./every-get.ts";
import type { LongestHold } from "./loop-watch.ts";
import { pdfRows } from "./pdfs.ts";
import { type Server, startServer } from "./process.ts";
import { percentile, type Row } from "./row.ts";
import { type Headers, signIn, signInAdmin } from "./session.ts";
import { oneRow, type World } from "./world.ts";

const mostMs = 50;
const calls = 5;

/**
 * Each GET, one at a time, on the largest records allowed: how long a call holds the event loop. The figure
 * is the longest of all calls' medians of five; the first calls after a start have their own row.
 */
export async function eventLoopRows(world: World): Promise<Row[]> {
  const { isQuick, log } = world;
  const network = await makeNetwork(world.db, { name: "The largest records" });
  const largest = await theLargestRecords(world, network, isQuick ? 1_000 : 5_000);
  const callers = {
    admin: await signInAdmin(world, network.id),
    lawyer: await signedInLawyer(world, largest.attorney),
  };
  const server = await startServer(world, { watchesLoop: true });
  try {
    const measured: Measured[] = [];
    await server.longestHold(); // since it started
    for (const { path, by, status } of everyGet(largest))
      measured.push(await measuredCall(server, { path, by, status, headers: callers[by] }));
    log(`Longest:\n${longestOf(measured, "usual")}\nFirst calls:\n${longestOf(measured, "first")}`);
    const pdf = `/attorneys/${largest.other}/statement.pdf?from=2000-01-01&to=2099-12-31`;
    return [
      rowOf(
        "longest hold of the event loop by a GET",
        measured.map(({ usual }) => usual),
      ),
      rowOf(
        "the same, first calls after a start",
        measured.map(({ first }) => first),
      ),
      ...(await pdfRows(server, pdf, callers.admin)),
    ];
  } finally {
    await server.stop();
  }
}

interface Measured {
  path: string;
  first: LongestHold;
  usual: LongestHold;
  bytes: number;
}

async function measuredCall(
  server: Server,
  { path, by, status, headers }: { path: string; by: string; status: number; headers: Headers },
): Promise<Measured> {
  const holds: LongestHold[] = [];
  let bytes = 0;
  for (let call = 0; call <= calls; call += 1) {
    const answer = await ask(server, path, { headers: { cookie: headers.cookie } });
    if (answer.status !== status)
      throw new Error(`GET ${path} answered ${answer.status}: ${answer.begin}`);
    bytes = answer.bytes;
    holds.push(await server.longestHold());
  }
  const [first = { wallMs: 0, processorMs: 0 }, ...others] = holds;
  const middle = (of: keyof LongestHold) =>
    percentile(
      others.map((hold) => hold[of]),
      0.5,
    );
  return {
    path: by === "lawyer" ? `${path} (the attorney)` : path,
    first,
    usual: { wallMs: middle("wallMs"), processorMs: middle("processorMs") },
    bytes,
  };
}

const longestOf = (measured: Measured[], which: "usual" | "first") =>
  measured
    .toSorted((one, other) => other[which].processorMs - one[which].processorMs)
    .slice(0, 15)
    .map(
      ({ path, bytes, [which]: { wallMs, processorMs } }) =>
        `  ${ms(wallMs)}, processor ${ms(processorMs)}, ${(bytes / 1e6).toFixed(2)} MB: ${path}`,
    )
    .join("\n");

const ms = (value: number) => `${value.toFixed(0)} ms`;

function rowOf(name: string, holds: LongestHold[]): Row {
  const wall = holds.map(({ wallMs }) => wallMs);
  const processor = holds.map(({ processorMs }) => processorMs);
  return {
    name: `${name}, ${holds.length} addresses`,
    unit: "ms",
    product: wall,
    p50: { product: percentile(wall, 0.5) },
    p99: { product: percentile(wall, 0.99) },
    limits: [
      { what: "longest", measured: Math.max(...wall), unit: " ms", most: mostMs },
      {
        what: "of the processor's time",
        measured: Math.max(...processor),
        unit: " ms",
        most: mostMs,
      },
    ],
  };
}

async function theLargestRecords(
  { db, client, secret, log }: World,
  network: MadeNetwork,
  rows: number,
): Promise<Largest> {
  log("Making the largest records …");
  const [attorney, other] = [await makeAttorney(db, network), await makeAttorney(db, network)];
  const keys = { apiLoginId: "login", transactionKey: "key", signatureKey: "0" };
  await makeCardAccount(db, network, { secret, processor: "anet", keys });
  const today = new Date().toISOString().slice(0, 10);
  await fillLists(db, { networkId: network.id, attorneyId: attorney.id, rows, today });
  const values: Record<string, string | number> = {
    network: network.id,
    lawyer: attorney.id,
    other: other.id,
    admin: network.admin.userId,
    today,
  };
  const text = readFileSync(new URL("largest-records.sql", import.meta.url), "utf8");
  const filled = text.replaceAll(/:(network|lawyer|other|admin|today)\b/g, (_, name: string) =>
    String(values[name]),
  );
  // One transaction each: within one, PostgreSQL plans as if the tables were empty and takes ten minutes.
  for (const statement of filled.split(/;\n/)) await client.query(statement);
  await client.query("vacuum analyze");
  await changeLogoOf(db, network.admin, aPng({ width: 1000, height: 1000 }));
  return {
    attorney: attorney.id,
    other: other.id,
    ...(await idsOf({ client }, network, attorney.id)),
    report: await aReport({ client }, network),
  };
}

async function idsOf(world: Pick<World, "client">, { id }: MadeNetwork, attorney: number) {
  const found = await oneRow(
    world,
    `select (select max(plan_id) from enrolments where network_id = $1 and attorney_id <> $2) as plan,
      (select max(id) from enrolments where network_id = $1 and attorney_id = $2) as enrolment,
      (select min(id) from firms where network_id = $1) as firm,
      (select id from received_checks where network_id = $1 and check_number = 'LONG-0') as check,
      (select id from deposits where network_id = $1 and number = 999999) as deposit,
      (select matter_id from matter_reports where network_id = $1 limit 1) as matter,
      (select id from payments where network_id = $1 and check_number = 'LONG-0') as payment,
      (select max(payment_id) from card_payments where network_id = $1) as card`,
    [id, attorney],
  );
  const { rows } = await world.client.query<{ id: string }>(
    `insert into enrolment_batches (network_id, plan_id, enrolments) values ($1, $2, 0) returning id`,
    [id, found["plan"]],
  );
  const {
    plan = 0,
    enrolment = 0,
    firm = 0,
    check = 0,
    deposit = 0,
    matter = 0,
    payment = 0,
    card = 0,
  } = found;
  const batch = Number(rows[0]?.id);
  return { plan, enrolment, firm, check, deposit, matter, payment, card, batch };
}

/** A finished report of 50 MB. */
async function aReport({ client }: Pick<World, "client">, { id: networkId }: MadeNetwork) {
  const { rows } = await client.query<{ id: string }>(
    `insert into data_exports (network_id, report_type, columns, status, attempt, file_name, file_bytes, requested_by,
       finished_at, expires_at)
     values ($1, 'receivables_aging', '{}', 'ready', 1, 'aging.csv', 50000000, 'Ada Min', now(), now() + interval '30 days')
     returning id`,
    [networkId],
  );
  const id = Number(rows[0]?.id);
  await client.query(
    `insert into data_export_pieces (network_id, export_id, attempt, start_byte, bytes)
     select $1, $2, 1, number * 500000, $3 from generate_series(0, 99) as number`,
    [networkId, id, Buffer.alloc(500_000, "1,2,3\n")],
  );
  return id;
}

async function signedInLawyer(world: World, attorneyId: number): Promise<Headers> {
  await world.client.query(
    `insert into users (network_id, role, attorney_id, name, email)
     select network_id, 'attorney', id, first_name, email from attorneys where id = $1`,
    [attorneyId],
  );
  const [headers] = await signIn(world, "select id from users where attorney_id = $1", [
    attorneyId,
  ]);
  if (!headers) throw new Error("The attorney has no account.");
  return headers;
}
