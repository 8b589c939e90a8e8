import pg from "pg";
import {
  type CopiedTable,
  refuseDifferentTables,
  sequencesOf,
  tablesOf,
} from "#db/copied-tables.ts";
import { copyIn } from "#db/copy-in.ts";
import { copyRows } from "#db/copy-out.ts";
import { newPgClient } from "#db/find-primary.ts";
import { lockOf } from "#db/locks.ts";
import { Refusal } from "#contract/refusal.ts";

/*
 * Copies one database's rows into another of the same migrations, table by table, through this process:
 * nothing needs to be installed, and the two may be different versions of PostgreSQL. The source is
 * read in one snapshot; the target is filled in one transaction, all of it or nothing, by a role that
 * owns its tables and is no superuser. Memory does not grow with either.
 */

export interface CopiedRows {
  table: string;
  rows: number;
}

export interface CopyOptions {
  /** Connection string; only read. */
  source: string;
  /** Connection string of a database that is migrated and has no network. */
  target: string;
  onProgress?: (doing: string, share?: number) => void;
  /** Change the copied rows before the commit, while triggers are disabled. */
  adjust?: (target: pg.ClientBase) => Promise<void>;
}

/** How long to wait for another copy's locks: PostgreSQL takes a while to notice a killed client. */
const lockTimeoutMs = 30_000;

/**
 * Copy every row and the value of each sequence. Throws 409 when the two have different tables, or
 * the target has a network; after any failure the target is unchanged.
 */
export async function copyDatabase(options: CopyOptions): Promise<CopiedRows[]> {
  return await withClients(options, async (source, target) => {
    await beginReading(source);
    await beginWriting(target);
    const tables = await tablesOf(source);
    const sequences = await sequencesOf(source);
    refuseDifferentTables(
      { tables, sequences },
      { tables: await tablesOf(target), sequences: await sequencesOf(target) },
    );
    await lockTarget(target, tables);
    const restore = await removeConstraintsAndTriggers(target);
    const copied = await copyTables(source, target, tables, options.onProgress);
    for (const name of sequences) await copySequence(source, target, name);
    await options.adjust?.(target);
    options.onProgress?.("Checking what was copied");
    await target.query(`analyze ${namesOf(tables)}`);
    for (const statement of restore) await target.query(statement);
    await commit(target);
    await source.query("commit");
    return copied;
  });
}

/** How many rows would be copied, in one snapshot. */
export async function countRows(connectionString: string): Promise<CopiedRows[]> {
  const client = newCopyClient(connectionString);
  try {
    await client.connect();
    await beginReading(client);
    return await countEach(client, await tablesOf(client));
  } finally {
    await client.end().catch(() => undefined); // a client that never connected has nothing to end
  }
}

async function withClients<Answer>(
  { source, target }: CopyOptions,
  work: (source: pg.Client, target: pg.Client) => Promise<Answer>,
): Promise<Answer> {
  const clients = [newCopyClient(source), newCopyClient(target)] as const;
  try {
    await clients[0].connect();
    await clients[1].connect();
    return await work(...clients);
  } finally {
    // Ending a connection rolls back, also in the middle of a copy.
    for (const client of clients) await client.end().catch(() => undefined);
  }
}

/** Without time limits, those of its role included: copying takes as long as there are rows. */
function newCopyClient(connectionString: string): pg.Client {
  const client = newPgClient({
    connectionString,
    application_name: "referral-network copy",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  client.on("error", () => undefined); // pending queries are rejected, too
  return client;
}

async function beginReading(client: pg.ClientBase): Promise<void> {
  await client.query("begin isolation level repeatable read, read only");
  await setTextFormats(client);
}

async function beginWriting(client: pg.ClientBase): Promise<void> {
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

async function commit(target: pg.ClientBase): Promise<void> {
  try {
    await target.query("commit");
  } catch (problem) {
    if (problem instanceof pg.DatabaseError) throw problem;
    throw new Refusal(
      500,
      "The database that was filled went away over the very last step: copy again, and if that says that there are networks already, all of them are there.",
    );
  }
}

/** Lock all tables against every other reader and writer until the commit. */
async function lockTarget(target: pg.ClientBase, tables: CopiedTable[]): Promise<void> {
  await target.query(`set local lock_timeout = ${lockTimeoutMs}`);
  try {
    await target.query("select pg_advisory_xact_lock($1, 0)", [lockOf.copy]);
    await target.query(`lock table ${namesOf(tables)} in access exclusive mode`);
  } catch (problem) {
    if (!(problem instanceof pg.DatabaseError && problem.code === "55P03")) throw problem;
    throw new Refusal(
      409,
      "Nothing was copied: somebody else works on the database that is to be filled, perhaps another copy-database: stop that first.",
    );
  }
  await target.query("set local lock_timeout = 0");
  const { rowCount } = await target.query("select from networks limit 1");
  if (rowCount) throw targetNotEmpty();
}

export const targetNotEmpty = () =>
  new Refusal(
    409,
    "Nothing was copied: the database that is to be filled has networks already: make a new one to copy into.",
  );

/**
 * Truncate the tables (migrations insert some rows), disable triggers, whose effects are already in
 * the source's rows, and drop foreign keys, so that the order of tables does not matter. Answers the
 * statements that restore both; restoring a key checks it for all rows at once.
 */
async function removeConstraintsAndTriggers(target: pg.ClientBase): Promise<string[]> {
  const keys = await statements(
    target,
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as disable,
        format('alter table %s add constraint %I %s', conrelid::regclass, conname,
          pg_get_constraintdef(oid)) as restore
      from pg_constraint
      where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace
      order by conrelid::regclass::text, conname`,
  );
  const triggers = await statements(
    target,
    `select format('alter table %s disable trigger %I', tgrelid::regclass, tgname) as disable,
        format('alter table %s enable %s trigger %I', tgrelid::regclass,
          case tgenabled when 'A' then 'always' when 'R' then 'replica' else '' end, tgname) as restore
      from pg_trigger join pg_class c on c.oid = tgrelid
      where not tgisinternal and tgenabled <> 'D' and c.relkind = 'r'
        and c.relnamespace = current_schema()::regnamespace
      order by tgrelid::regclass::text, tgname`,
  );
  for (const { disable } of [...keys, ...triggers]) await target.query(disable);
  await target.query(`truncate ${namesOf(await tablesOf(target))} restart identity`);
  return [...triggers, ...keys].map(({ restore }) => restore);
}

async function statements(
  target: pg.ClientBase,
  query: string,
): Promise<{ disable: string; restore: string }[]> {
  return (await target.query<{ disable: string; restore: string }>(query)).rows;
}

async function copyTables(
  source: pg.ClientBase,
  target: pg.ClientBase,
  tables: CopiedTable[],
  onProgress: CopyOptions["onProgress"] = () => undefined,
): Promise<CopiedRows[]> {
  onProgress("Counting what is to be copied");
  const counts = await countEach(source, tables);
  const all = Math.max(sum(counts), 1);
  const copied: CopiedRows[] = [];
  for (const [index, { rows }] of counts.entries()) {
    const table = tables[index];
    if (!table) throw new Error("each table was counted");
    const done = sum(copied);
    copied.push({
      table: table.name,
      rows: await copyTable(source, target, table, (written) => {
        const counted = `${written.toLocaleString("en-US")} of ${rows.toLocaleString("en-US")}`;
        onProgress(`Copying ${table.name}, ${counted} rows; in all`, (done + written) / all);
      }),
    });
  }
  return copied;
}

const sum = (counts: CopiedRows[]) => counts.reduce((total, { rows }) => total + rows, 0);

/** Throws when the target has taken another number of rows than the source has given. */
async function copyTable(
  source: pg.ClientBase,
  target: pg.ClientBase,
  { name, columns }: CopiedTable,
  onProgress: (rows: number) => void,
): Promise<number> {
  const what = `${quoted(name)} (${columns.map((column) => quoted(column.name)).join(", ")})`;
  let given = 0;
  onProgress(given);
  const taken = await copyIn(target, `copy ${what} from stdin with (freeze)`, (write) =>
    copyRows(source, `copy ${what} to stdout`, async (piece, rows) => {
      await write(piece);
      given += rows;
      onProgress(given);
    }),
  );
  if (taken !== given) throw new Error(`${name}: ${given} rows were read and ${taken} written.`);
  return taken;
}

/** Unlike a plain setval(), rolled back with the transaction, since `restart` gives the sequence a new file. */
async function copySequence(
  source: pg.ClientBase,
  target: pg.ClientBase,
  name: string,
): Promise<void> {
  const { rows } = await source.query<{ last: string; called: boolean }>(
    `select last_value::text as last, is_called as called from ${quoted(name)}`,
  );
  await target.query(`alter sequence ${quoted(name)} restart`);
  await target.query("select setval($1::text::regclass, $2, $3)", [
    quoted(name),
    rows[0]?.last,
    rows[0]?.called,
  ]);
}

async function countEach(client: pg.ClientBase, tables: CopiedTable[]): Promise<CopiedRows[]> {
  const counts: CopiedRows[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ count: string }>(
      `select count(*) as count from ${quoted(name)}`,
    );
    counts.push({ table: name, rows: Number(rows[0]?.count) });
  }
  return counts;
}

const quoted = (name: string) => pg.escapeIdentifier(name);

const namesOf = (tables: CopiedTable[]) => tables.map(({ name }) => quoted(name)).join(", ");
