import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { Refusal } from "#contract/refusal.ts";

/*
 * The directory: which cell serves a network, signs in the account of an email address, knows a passkey.
 * Every cell holds all of it and writes its own entries alone, which triggers do (migrations/0046). Where
 * somebody signs in goes by the directory and not by the accounts that are here: while a network is moved and
 * not removed yet, both cells have its accounts, and the one that claims them serves them.
 */

/** What this installation is called among several; null where it is the only one. */
export async function ownCell(db: Db): Promise<string | null> {
  const found = await db.selectFrom("installation").select("cell").executeTakeFirst();
  return found?.cell ?? null;
}

/**
 * The network, its accounts and their passkeys are served by the cell whose database `tx` is in, from now on;
 * its rows must be there. `cell` is that cell's name, null for an installation that is none, which has no
 * directory. Throws 409 where the database is another cell's.
 */
export async function assignNetwork(tx: Db, networkId: number, cell: string | null): Promise<void> {
  const own = await ownCell(tx);
  if (own !== cell)
    throw new Refusal(
      409,
      `The network was to be assigned to ${nameOf(cell)}, and this database is that of ${nameOf(own)}.`,
    );
  if (own === null) return;
  await sql`
    insert into directory (kind, key, cell, of_network)
    select kind, key, ${own}, of_network from directory_entries where of_network = ${networkId}
    on conflict (kind, key, cell) do update set of_network = excluded.of_network, claimed_at = now()`.execute(
    tx,
  );
}

/** The cell whose database `tx` is in no longer serves the network: what it claims of it, it claims no more. */
export async function releaseNetwork(tx: Db, networkId: number): Promise<void> {
  await sql`
    delete from directory
    where of_network = ${networkId} and cell = (select cell from installation)`.execute(tx);
}

const nameOf = (cell: string | null) => (cell === null ? "an installation without CELL" : cell);

/** The cell that serves a network or knows a passkey; null where none does, as far as is known here. */
export async function cellOf(
  db: Db,
  kind: "network" | "passkey",
  key: string,
): Promise<string | null> {
  const { rows } = await sql<{ cell: string }>`${claimOf(kind, key)}`.execute(db);
  return rows[0]?.cell ?? null;
}

/**
 * The cell at which somebody with this email address signs in. For an address without an account it is one that
 * a hash picks, the same whichever cell is asked: nobody learns from being led whether there is an account.
 */
export async function cellOfSignIn(db: Db, email: string): Promise<string | null> {
  const { rows } = await sql<{ cell: string | null }>`
    select coalesce(
      (${claimOf("email", email)}),
      (select c.name from cells c
        order by sha256(convert_to(c.name || ' ' || ${email}::text || ' '
          || (select string_agg(sign_in_key::text, ' ' order by name) from cells), 'UTF8'))
        limit 1)) as cell`.execute(db);
  return rows[0]?.cell ?? null;
}

/** Whether there are networks here that another cell serves: they were moved, and are not removed yet. */
export async function hasMovedNetworks(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from networks n where ${movedTo(sql.ref("n.id"))} is not null limit 1`.execute(db);
  return rows.length > 0;
}

/** The cell that serves the network of a session here; null where that is this one, or there is no such session. */
export async function cellOfSession(db: Db, token: string): Promise<string | null> {
  const { rows } = await sql<{ cell: string | null }>`
    select ${movedTo(sql.ref("s.network_id"))} as cell from sessions s
    where s.token = ${token}`.execute(db);
  return rows[0]?.cell ?? null;
}

const movedTo = (network: RawBuilder<unknown>) => sql`(
  select max(d.cell) from directory d
  where d.kind = 'network' and d.key = ${network}::text
  having not bool_or(d.cell = (select cell from installation)))`;

/** Of two cells that claim the same, each serves it at home; others lead to the one that claimed it last. */
const claimOf = (kind: string, key: string) => sql`
  select d.cell from directory d
  where d.kind = ${kind} and d.key = ${key}
  order by d.cell is not distinct from (select cell from installation) desc, d.claimed_at desc, d.cell
  limit 1`;
