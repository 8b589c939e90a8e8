import pg from "pg";
import type { StandaloneContext } from "#kit/cli/command.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { refuseDifferentTables, sequencesOf, tablesOf } from "#kit/db/copied-tables.ts";
import {
  beginReading,
  beginWriting,
  commitCopy,
  lockTables,
  namesOf,
  withCopyClients,
} from "#kit/db/copy-clients.ts";
import { copyTable } from "#kit/db/copy-database.ts";
import { databaseOn, openDatabase, openPool } from "#kit/db/database.ts";
import { tablesOfRange } from "#kit/db/id-range.ts";
import { disableConstraints } from "#kit/db/disable-constraints.ts";
import { allSecrets, reencrypt } from "#cards/settings/encrypted-secrets.ts";
import {
  compareNetwork,
  type CopiedNetworkTable,
  copiedNetworkTables,
} from "#main/database-copy/compare-network.ts";
import {
  networkMadeAt,
  otherDatabase,
  ownDatabase,
  refuseSameDatabase,
  refuseWhileServersRun,
} from "#main/database-copy/two-databases.ts";
import { type CheckResult, verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { decryptsCheckValue } from "#kit/ops/secret-check-value.ts";

/** The APP_SECRET of the other installation, if different. */
const otherSecret = "TO_APP_SECRET";

interface Copy {
  source: pg.Client;
  target: pg.Client;
  networkId: number;
  tables: CopiedNetworkTable[];
}

export interface CopiedNetwork {
  /** Compared in both databases. */
  rows: number;
  /** The checks of verify-ledger in the other database. */
  checks: CheckResult[];
}

/**
 * Copy a whole network, without its sessions, into another installation's database in one transaction. It also stays
 * here. Rows are compared in both before the commit, and the ledger is verified in both. Throws a Refusal with the
 * reason; the target is then unchanged.
 */
export async function copyNetwork(
  context: StandaloneContext,
  { networkId, to }: { networkId: number; to: string },
): Promise<CopiedNetwork> {
  const own = await ownDatabase(context);
  const other = await otherDatabase(context, to, "--to");
  const newSecret = context.environment[otherSecret] || own.secret;
  const rows = await withCopyClients([own.address, other], async (source, target) => {
    await refuseSameDatabase(source, target, "--to");
    const refuseBothServed = async () => {
      await refuseWhileServersRun(source, "to copy from");
      await refuseWhileServersRun(target, "at --to");
    };
    await refuseBothServed(); // before any lock
    if ((await networkMadeAt(source, networkId)) === null)
      throw new Refusal(404, `There is no network ${networkId} here.`);
    const before = await ledgerOf(own.address, networkId, context);
    if (before.some(({ offenders }) => offenders > 0))
      throw refused(`the ledger of network ${networkId} is damaged here. See verify-ledger.`);
    const copy = { source, target, networkId, tables: await copiedNetworkTables(source) };
    await beginReading(source, copy.tables);
    await beginWriting(target);
    await refuseDifference(copy);
    await lockTables(target, await tablesOf(target), "access exclusive");
    await refuseBothServed();
    await refuseUnfit(copy, newSecret);
    const restore = await disableConstraints(target);
    await copyRows(copy, context);
    context.progress("Comparing what was copied");
    const compared = await compareNetwork(source, target, copy);
    if (compared.different.length > 0)
      throw refused(`these tables differ in the copy: ${compared.different.join(", ")}.`);
    await reencryptSecrets(copy, { oldSecret: own.secret, newSecret });
    await raiseCounters(copy);
    await target.query(`analyze ${namesOf(copy.tables)}`);
    for (const statement of restore) await target.query(statement);
    await commitCopy(target);
    return compared.rows;
  });
  return { rows, checks: await ledgerOf(other, networkId, context) };
}

const refused = (sentence: string) => new Refusal(409, `Nothing was copied: ${sentence}`);

async function ledgerOf(
  connectionString: string,
  networkId: number,
  { progress }: StandaloneContext,
): Promise<CheckResult[]> {
  const pool = openPool({ connectionString, connections: 1, statementTimeoutMs: 60 * 60_000 });
  try {
    return await verifyLedger(openDatabase(pool), networkId, progress);
  } finally {
    await pool.end();
  }
}

async function refuseDifference({ source, target }: Copy): Promise<void> {
  const [here, there] = await Promise.all(
    [source, target].map(async (end) => ({
      tables: await tablesOf(end),
      sequences: await sequencesOf(end),
    })),
  );
  if (here && there) refuseDifferentTables(here, there);
}

async function refuseUnfit(copy: Copy, newSecret: string): Promise<void> {
  const { target, networkId } = copy;
  if ((await networkMadeAt(target, networkId)) !== null)
    throw refused(
      `the database at --to already has a network ${networkId}: an earlier copy, or another network.`,
    );
  const { rows } = await target.query<{ checkValue: string | null }>(
    `select secret_check_value as "checkValue" from installation`,
  );
  const checkValue = rows[0]?.checkValue;
  if (checkValue && !decryptsCheckValue(checkValue, newSecret))
    throw refused(
      `the installation at --to has another secret. Set ${otherSecret} to its APP_SECRET.`,
    );
  await refuseTakenKeys(copy);
}

/** For unique keys without the network: values that another network of the target has cannot be copied. */
async function refuseTakenKeys({ source, target, networkId, tables }: Copy): Promise<void> {
  const { rows: keys } = await source.query<{ table: string; name: string; columns: string[] }>(
    `select t.relname as "table", i.relname as name, array(
        select a.attname::text from unnest(x.indkey::smallint[]) as k
        join pg_attribute a on a.attrelid = t.oid and a.attnum = k) as columns
      from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
      where x.indisunique and t.relnamespace = 'public'::regnamespace and t.relname = any ($1)`,
    [tables.filter((table) => table.networkColumn === "network_id").map(({ name }) => name)],
  );
  for (const { table, name, columns } of keys.filter(
    (key) => !key.columns.includes("network_id"),
  )) {
    const from = pg.escapeIdentifier(table);
    const value = columns.map((one) => `${pg.escapeIdentifier(one)}::text`).join(" || ' ' || ");
    const { rows: ours } = await source.query<{ value: string }>(
      `select ${value} as value from ${from} where network_id = $1 and ${value} is not null`,
      [networkId],
    );
    const { rows: taken } = await target.query<{ value: string }>(
      `select ${value} as value from ${from} where ${value} = any ($1) order by 1 limit 3`,
      [ours.map((row) => row.value)],
    );
    if (taken.length === 0) continue;
    const isTold = columns.every((column) => /^(id|email)$/.test(column));
    const values = isTold ? taken.map((row) => row.value).join(", ") : "secrets, not shown";
    throw refused(
      `the database at --to and network ${networkId} have the same values in ${table} (${name}): ${values}. ${
        columns.includes("id")
          ? "Give each installation its own ID_RANGE to avoid equal ids."
          : "Change or remove them in one of the two."
      }`,
    );
  }
}

async function copyRows(
  { source, target, networkId, tables }: Copy,
  { progress }: StandaloneContext,
): Promise<void> {
  for (const [done, table] of tables.entries()) {
    const where = `${table.networkColumn} = ${networkId}`;
    await copyTable(source, target, { ...table, where }, (rows) =>
      progress(`Copying ${table.name}, ${rows.toLocaleString("en-US")} rows`, done / tables.length),
    );
  }
}

async function reencryptSecrets(
  { target, networkId }: Copy,
  secrets: { oldSecret: string; newSecret: string },
): Promise<void> {
  for (const one of await allSecrets(databaseOn(target), networkId)) {
    const { state, text } = await reencrypt(one, secrets);
    if (state === "unreadable")
      throw refused(`APP_SECRET does not decrypt ${one.what}. Enter it again, or remove it.`);
    if (state === "reencrypted") await one.save(text);
  }
}

/**
 * Raise the target's counters past the copied ids and those the source used and removed: people have receipts and emails
 * with those numbers. A counter stays within its range, ten million from 1 unless the database has another. A rollback
 * does not undo it; gaps are harmless.
 */
async function raiseCounters({ source, target, tables }: Copy): Promise<void> {
  const { rows: ranges } = await target.query<{ first: number; last: number }>(
    "select coalesce(max(first_id), 1) as first, coalesce(max(last_id), 10000000) as last from installation",
  );
  for (const { name, sequences } of tables)
    for (const sequence of sequences) {
      const { rows } = tablesOfRange.includes(name)
        ? await target.query<{ last: number | null }>(
            `select max(id) as last from ${pg.escapeIdentifier(name)} where id between $1 and $2`,
            [ranges[0]?.first, ranges[0]?.last],
          )
        : await source.query<{ last: number | null }>(`select last_value as last from ${sequence}`);
      if (rows[0]?.last)
        await target.query(
          `select setval($1::text::regclass, greatest(last_value, $2::bigint)) from ${sequence}`,
          [sequence, rows[0].last],
        );
    }
}
