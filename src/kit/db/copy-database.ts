import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import {
  type CopiedTable,
  refuseDifferentTables,
  sequencesOf,
  tablesOf,
} from "#kit/db/copied-tables.ts";
import {
  beginReading,
  beginWriting,
  commitCopy,
  lockTables,
  namesOf,
  withCopyClients,
} from "#kit/db/copy-clients.ts";
import { disableConstraints } from "#kit/db/disable-constraints.ts";
import { Refusal } from "#kit/contract/refusal.ts";

/*
 * Copies one database's rows into another of the same migrations, table by table, through this process. Nothing
 * needs to be installed, and the two may be different versions of PostgreSQL. The source is read in one snapshot.
 * The target is filled in one transaction, completely or not at all, by a role that owns its tables and is not a
 * superuser. Memory does not grow with the data.
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

/**
 * Copy every row and the value of each sequence. Throws 409 if the two have different tables, or the target has a
 * network. After any failure the target is unchanged.
 */
export async function copyDatabase(options: CopyOptions): Promise<CopiedRows[]> {
  return await withCopyClients([options.source, options.target], async (source, target) => {
    await beginReading(source);
    await beginWriting(target);
    const tables = await tablesOf(source);
    const sequences = await sequencesOf(source);
    refuseDifferentTables(
      { tables, sequences },
      { tables: await tablesOf(target), sequences: await sequencesOf(target) },
    );
    await lockTarget(target, tables);
    const restore = await disableConstraints(target);
    await target.query(`truncate ${namesOf(tables)} restart identity`); // migrations insert some rows
    const copied = await copyTables(source, target, tables, options.onProgress);
    for (const name of sequences) await copySequence(source, target, name);
    await options.adjust?.(target);
    options.onProgress?.("Checking the copied rows");
    await target.query(`analyze ${namesOf(tables)}`);
    for (const statement of restore) await target.query(statement);
    await commitCopy(target);
    await source.query("commit");
    return copied;
  });
}

/** How many rows would be copied, in one snapshot. */
export async function countRows(connectionString: string): Promise<CopiedRows[]> {
  return await withCopyClients([connectionString], async (client) => {
    await beginReading(client);
    return await countEach(client, await tablesOf(client));
  });
}

/** Lock all tables against every other reader and writer until the commit. */
async function lockTarget(target: pg.ClientBase, tables: CopiedTable[]): Promise<void> {
  await lockTables(target, tables, "access exclusive");
  const { rowCount } = await target.query("select from networks limit 1");
  if (rowCount) throw targetNotEmpty();
}

export const targetNotEmpty = () =>
  new Refusal(
    409,
    "Nothing was copied: the target database already has networks. Create a new one to copy into.",
  );

async function copyTables(
  source: pg.ClientBase,
  target: pg.ClientBase,
  tables: CopiedTable[],
  onProgress: CopyOptions["onProgress"] = () => undefined,
): Promise<CopiedRows[]> {
  onProgress("Counting the rows to copy");
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

/**
 * Copy a table, or only a network's rows of it. Throws if the target received another number of rows than the
 * source sent.
 */
export async function copyTable(
  source: pg.ClientBase,
  target: pg.ClientBase,
  { name, columns, where }: CopiedTable & { where?: string },
  onProgress: (rows: number) => void,
): Promise<number> {
  const listed = columns.map((column) => quoted(column.name)).join(", ");
  const what = `${quoted(name)} (${listed})`;
  const from = where ? `(select ${listed} from ${quoted(name)} where ${where})` : what;
  let given = 0;
  onProgress(given);
  const options = where ? "" : "with (freeze)"; // only for a table that this transaction has emptied
  const taking = target.query(copyFrom(`copy ${what} from stdin ${options}`));
  await pipeline(
    source.query(copyTo(`copy ${from} to stdout`)),
    async function* counted(pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        yield piece;
        given += lineFeedsIn(piece); // one per row: within a value it is written as \n
        onProgress(given);
      }
    },
    taking,
  );
  const taken = taking.rowCount;
  if (taken !== given) throw new Error(`${name}: ${given} rows were read and ${taken} written.`);
  return taken;
}

function lineFeedsIn(piece: Buffer): number {
  let found = 0;
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) found += 1;
  return found;
}

/** Unlike a plain setval(), this is rolled back with the transaction, since `restart` gives the sequence a new file. */
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
