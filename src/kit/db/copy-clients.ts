import pg from "pg";
import { databaseTypes } from "#kit/db/database.ts";
import { newPgClient } from "#kit/db/find-primary.ts";
import { lockOf } from "#kit/db/locks.ts";
import { Refusal } from "#kit/contract/refusal.ts";

/*
 * The two connections of a copy: the source reads in one snapshot; the target writes in one transaction, completely
 * or not at all.
 */

/** How long to wait for another copy's locks: PostgreSQL takes a while to notice a killed client. */
const lockTimeoutMs = 30_000;

/** Connect to databases, in order. However the work ends, uncommitted changes are undone. */
export async function withCopyClients<Answer, Addresses extends string[]>(
  addresses: [...Addresses],
  work: (...clients: { [Place in keyof Addresses]: pg.Client }) => Promise<Answer>,
): Promise<Answer> {
  const clients = addresses.map(newCopyClient);
  try {
    for (const client of clients) await client.connect();
    return await work(...(clients as { [Place in keyof Addresses]: pg.Client }));
  } finally {
    // Ending a connection rolls back, even in the middle of a copy. One that never connected has nothing to end.
    for (const client of clients) await client.end().catch(() => undefined);
  }
}

/** Without time limits, including its role's: a copy takes as long as its rows need. */
function newCopyClient(connectionString: string): pg.Client {
  const client = newPgClient({
    connectionString,
    application_name: "referral-network copy",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    types: databaseTypes,
  });
  client.on("error", () => undefined); // pending queries are rejected, too
  return client;
}

/** Read in one snapshot. Nobody can write the tables of `heldStill` until the end. Throws as `lockTables`. */
export async function beginReading(
  client: pg.ClientBase,
  heldStill: { name: string }[] = [],
): Promise<void> {
  await client.query("begin isolation level repeatable read, read only");
  if (heldStill.length > 0) await lockTables(client, heldStill, "share"); // before the snapshot is taken
  await setTextFormats(client);
}

export async function beginWriting(client: pg.ClientBase): Promise<void> {
  await client.query("begin");
  await setTextFormats(client);
}

/** Both sides use the same text formats, whatever their roles and databases are set to. */
async function setTextFormats(client: pg.ClientBase): Promise<void> {
  await client.query(`
    set local datestyle = 'ISO, YMD'; set local timezone = 'UTC'; set local intervalstyle = 'postgres';
    set local bytea_output = 'hex'; set local extra_float_digits = 1;
    set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
    select set_config(name, '0', true) from pg_settings
      where name = 'transaction_timeout' -- of PostgreSQL 17 and later`);
}

/** Lock tables until the transaction ends. Throws 409 if others hold them for longer than half a minute. */
export async function lockTables(
  client: pg.ClientBase,
  tables: { name: string }[],
  mode: "share" | "access exclusive",
): Promise<void> {
  await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
  try {
    if (mode === "access exclusive")
      await client.query("select pg_advisory_xact_lock($1, 0)", [lockOf.copy]);
    await client.query(`lock table ${namesOf(tables)} in ${mode} mode`);
  } catch (problem) {
    if (!(problem instanceof pg.DatabaseError && problem.code === "55P03")) throw problem;
    throw new Refusal(
      409,
      "Nothing was changed, because the database is in use, perhaps by another command. Stop that first.",
    );
  }
  await client.query("set local lock_timeout = 0");
}

export const namesOf = (tables: { name: string }[]): string =>
  tables.map(({ name }) => pg.escapeIdentifier(name)).join(", ");

export async function commitCopy(target: pg.ClientBase): Promise<void> {
  try {
    await target.query("commit");
  } catch (problem) {
    if (problem instanceof pg.DatabaseError) throw problem;
    throw new Refusal(
      500,
      "The target database was lost during the last step. Copy again. If that says that it already has networks, the copy is complete.",
    );
  }
}
