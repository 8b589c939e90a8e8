import pg from "pg";
import { Refusal } from "#kit/contract/refusal.ts";
import type { IdRange } from "#kit/ops/config.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/*
 * The range of ids that an installation gives (ID_RANGE). The database stores it, so that a process started without
 * the variable uses it too.
 */

/** The answer if the range has no id left; null for any other problem. */
export function refusedWithoutIds(problem: unknown): Refusal | null {
  const isUsedUp = problem instanceof pg.DatabaseError && problem.code === "2200H";
  return isUsedUp
    ? new Refusal(
        503,
        "Nothing was changed. This service has used all ids of its range and cannot store anything new. Tell its operator.",
      )
    : null;
}

/**
 * Every network table whose rows are known only by their id. A network that is copied to another installation keeps
 * these ids, so each id must be unique across all installations.
 */
export const tablesOfRange = [
  "networks",
  "users",
  "accounts",
  "sessions",
  "two_factors",
  "passkeys",
];

/**
 * Take the range from the environment if the database has none yet; null is no range. `client` is the owner's; if a
 * range is already stored, no right is needed. Throws a StartupProblem for a range other than the stored one, and
 * for a range that contains ids of the database.
 */
export async function keepIdRange(client: pg.Client, given: IdRange | null): Promise<void> {
  const kept = await readRange(client);
  if (given && kept && (given.first !== kept.first || given.last !== kept.last))
    throw new StartupProblem(
      `ID_RANGE is ${textOf(given)}, but this database already has ${textOf(kept)}, which cannot be changed.`,
    );
  const range = kept ?? given;
  if (!range) return;
  await client.query("begin");
  try {
    if (!kept) await takeRange(client, range);
    if (!(await areCountersIn(client, range))) await setCounters(client, range);
    await client.query("commit");
  } catch (problem) {
    await client.query("rollback");
    throw problem;
  }
}

const textOf = ({ first, last }: IdRange) => `${first}-${last}`;

async function readRange(client: pg.Client): Promise<IdRange | null> {
  const { rows } = await client.query<{ first: string; last: string }>(
    "select first_id as first, last_id as last from installation where first_id is not null",
  );
  const [found] = rows;
  return found ? { first: Number(found.first), last: Number(found.last) } : null;
}

/**
 * The database's ids must be outside the range: another counter gave them, which may have given any id of the
 * range.
 */
async function takeRange(client: pg.Client, { first, last }: IdRange): Promise<void> {
  await client.query(`lock table ${tablesOfRange.join(", ")} in share row exclusive mode`);
  for (const table of tablesOfRange) {
    const { rows } = await client.query<{ id: string }>(
      `select id::text from ${table} where id between $1 and $2 limit 1`,
      [first, last],
    );
    if (rows[0])
      throw new StartupProblem(
        `ID_RANGE ${first}-${last} was refused, because the database already has ids in it, such as ${rows[0].id} in ${table}. Choose a range without ids of this database.`,
      );
  }
  await client.query(
    `insert into installation (first_id, last_id) values ($1, $2)
      on conflict (is_only_row) do update set first_id = excluded.first_id, last_id = excluded.last_id`,
    [first, last],
  );
}

const sequencesOfRange = `select unnest($1::text[]) as "table",
  pg_get_serial_sequence(unnest($1::text[]), 'id') as sequence`;

/** False in a new database, and in one that received another's rows. */
async function areCountersIn(client: pg.Client, { first, last }: IdRange): Promise<boolean> {
  const { rows } = await client.query(
    `select from (${sequencesOfRange}) as ranged
      join pg_sequence s on s.seqrelid = ranged.sequence::regclass
      where s.seqmin <> $2 or s.seqmax <> $3`,
    [tablesOfRange, first, last],
  );
  return rows.length === 0;
}

/** The next ids are the range's, after those already given. Once it is used up, the database refuses more. */
async function setCounters(client: pg.Client, { first, last }: IdRange): Promise<void> {
  const { rows } = await client.query<{ table: string; sequence: string }>(sequencesOfRange, [
    tablesOfRange,
  ]);
  for (const { table, sequence } of rows) {
    const { rows: found } = await client.query<{ next: string }>(
      `select greatest($1::bigint,
        (select max(id) + 1 from ${table} where id between $1 and $2),
        (select last_value + 1 from ${sequence} where last_value between $1 and $2))::text as next`,
      [first, last],
    );
    await client.query(
      `alter table ${table} alter column id
        set minvalue ${first} set maxvalue ${last} set start ${first} restart ${Number(found[0]?.next)}`,
    );
  }
}
