import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import type { StandaloneContext } from "#cli/command.ts";
import { UsageProblem } from "#cli/command-arguments.ts";
import { Refusal } from "#contract/refusal.ts";
import { type Db, newClient, openDatabase, openPool } from "#db/database.ts";
import { lockOf } from "#db/locks.ts";
import { bringUpToDate, refuseOtherMigrations } from "#db/migrate.ts";
import { connectableAddress, openConfiguredDatabase } from "#db/open-database.ts";
import { ownCell } from "#features/cells/directory.ts";
import { appSecret } from "#ops/app-secret.ts";
import { readConfig } from "#ops/config.ts";
import { decryptsCheckValue } from "#ops/secret-check-value.ts";

/** One of the two cells between which a network is moved, opened as the owner of its tables. */
export interface End {
  pool: pg.Pool;
  db: Db;
  /** One session that holds the lock of the move, for what PostgreSQL does in no transaction. */
  client: pg.Client;
  /** Its name, or its database's place without the password: what the other one calls it. */
  name: string;
  /** CELL; null where it is none. */
  cell: string | null;
  secret: string;
}

export interface Ends {
  networkId: number;
  source: End;
  target: End;
  /** The source's database as PostgreSQL of the target reaches it. */
  publisherUrl: string;
}

/** As PostgreSQL of the other cell reaches this cell's; the owner's address where the two are the same. */
const publisher = "PUBLISHER_DATABASE_URL";
const connections = 6;
const hourMs = 60 * 60_000;

/** Open the cell that the environment names, from which the network goes. */
export async function openSource(context: StandaloneContext, networkId: number): Promise<End> {
  const config = readConfig(context.environment);
  const database = await openConfiguredDatabase(config, context.log);
  context.closeAfter(() => database.close());
  await bringUpToDate(database, config, context.log);
  return await openEnd(context, networkId, {
    address: database.ownerConnectionString,
    named: config.migrateDatabaseUrl ? "MIGRATE_DATABASE_URL" : "DATABASE_URL",
    secret: { text: appSecret(config), named: "APP_SECRET" },
  });
}

/** Open the other cell. Throws what is wrong with it in a sentence; nothing is changed there. */
export async function openTarget(
  context: StandaloneContext,
  { source, networkId }: Pick<Ends, "source" | "networkId">,
  { to }: { to: string },
): Promise<End> {
  const address = await connectableAddress(addressOf(to, context.environment), "--to");
  await refuseSameDatabase(source, address);
  await refuseOtherMigrations(address, "--to");
  const other = context.environment["OTHER_APP_SECRET"];
  return await openEnd(context, networkId, {
    address,
    named: "--to",
    secret: other
      ? { text: other, named: "OTHER_APP_SECRET" }
      : {
          text: appSecret(readConfig(context.environment)),
          named: "APP_SECRET (without OTHER_APP_SECRET)",
        },
  });
}

/** Before the lock of the move, which such a command would wait for itself. */
async function refuseSameDatabase({ client: here }: End, address: string): Promise<void> {
  const there = newClient(address, "cells", { statementMs: 60_000 });
  there.on("error", () => undefined); // the statement that runs then fails
  await there.connect();
  try {
    if ((await identityOf(here)) === (await identityOf(there)))
      throw new UsageProblem("--to leads to this very database.");
  } finally {
    await there.end();
  }
}

async function identityOf(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ identity: string }>(
    `select (select system_identifier from pg_control_system()) || ' ' || oid as identity
      from pg_database where datname = current_database()`,
  );
  return rows[0]?.identity;
}

export function publisherUrlOf({ environment }: StandaloneContext): string {
  const given =
    environment[publisher] ?? environment["MIGRATE_DATABASE_URL"] ?? environment["DATABASE_URL"];
  if (given && /^postgres(ql)?:\/\//.test(given)) return given;
  throw new UsageProblem(
    `${publisher} is not set to an address that begins with postgres://: by it the other cell's PostgreSQL reaches this one's.`,
  );
}

/** `to` is an address without a password, or the name of the variable that holds one. */
function addressOf(to: string, environment: StandaloneContext["environment"]): string {
  if (/^postgres(ql)?:\/\//.test(to)) {
    if (new URL(to).password !== "" || /[?&]password=/.test(to))
      throw new UsageProblem(
        "--to has a password in it, which others see on a command line: put the address into a variable, and give --to its name.",
      );
    return to;
  }
  const address = environment[to];
  if (address && /^postgres(ql)?:\/\//.test(address)) return address;
  throw new UsageProblem(
    `--to must be an address that begins with postgres://, or name a variable that holds one: ${to} does not.`,
  );
}

interface Wanted {
  address: string;
  named: string;
  secret: { text: string; named: string };
}

async function openEnd(
  context: StandaloneContext,
  networkId: number,
  { address: given, named, secret }: Wanted,
): Promise<End> {
  const address = endingWithClient(given);
  const purpose = `move ${networkId}`;
  const client = newClient(address, purpose, { statementMs: hourMs });
  client.on("error", () => undefined); // the statement that runs then fails
  await client.connect();
  context.closeAfter(() => client.end());
  await refuseSecondMover(client, networkId, purpose);
  await refuseNotOwner(client, named);
  const pool = openPool({
    connectionString: address,
    connections,
    statementTimeoutMs: hourMs,
    purpose,
  });
  context.closeAfter(() => pool.end());
  const db = openDatabase(pool);
  await refuseOtherSecret(db, secret);
  const cell = await ownCell(db);
  return {
    pool,
    db,
    client,
    cell,
    name: cell ?? placeOf(address),
    secret: secret.text,
  };
}

/** A statement whose client was killed is ended, not finished: nothing is done behind the back of the next run. */
function endingWithClient(address: string): string {
  const url = new URL(address);
  const options = url.searchParams.get("options") ?? "";
  url.searchParams.set("options", `${options} -c client_connection_check_interval=500`.trim());
  return url.href;
}

/** How long the sessions of a run that was killed may take to end. */
const endingTimeoutMs = 20_000;

/** The lock ends with its session, however the command ends; the other sessions of such a run are waited for. */
async function refuseSecondMover(
  client: pg.Client,
  networkId: number,
  purpose: string,
): Promise<void> {
  const until = performance.now() + endingTimeoutMs;
  for (;;) {
    const { rows } = await client.query<{ isAlone: boolean }>(
      `select pg_try_advisory_lock($1, hashint8($2)) and not exists (
          select from pg_stat_activity where application_name = $3 and pid <> pg_backend_pid()
            and datname = current_database()) as "isAlone"`,
      [lockOf.networkMove, networkId, `referral-network ${purpose}`],
    );
    if (rows[0]?.isAlone) return;
    if (performance.now() > until)
      throw new Refusal(
        409,
        `Another command is moving network ${networkId} at this moment: look for "referral-network ${purpose}" in pg_stat_activity.`,
      );
    await pause(100);
  }
}

async function refuseNotOwner(client: pg.Client, named: string): Promise<void> {
  const { rows } = await client.query<{ role: string; owns: boolean }>(
    `select quote_ident(current_user) as role, pg_has_role(relowner, 'usage') as owns
      from pg_class where oid = 'network_moves'::regclass`,
  );
  if (rows[0]?.owns) return;
  throw new Refusal(
    403,
    `The role ${rows[0]?.role} of ${named} does not own the tables: give the address of the one that does${named === "DATABASE_URL" ? " as MIGRATE_DATABASE_URL" : ""}.`,
  );
}

async function refuseOtherSecret(
  db: Db,
  { text, named }: { text: string; named: string },
): Promise<void> {
  const found = await db.selectFrom("installation").select("secretCheckValue").executeTakeFirst();
  if (!found?.secretCheckValue || decryptsCheckValue(found.secretCheckValue, text)) return;
  throw new Refusal(
    409,
    named === "APP_SECRET"
      ? "APP_SECRET is not the secret that this cell works with."
      : `The other cell works with another secret than ${named}: set OTHER_APP_SECRET to the APP_SECRET of there.`,
  );
}

function placeOf(address: string): string {
  const url = new URL(address);
  const host = url.searchParams.get("host") ?? url.host;
  return `${decodeURIComponent(host || "localhost")}${url.pathname}`;
}
