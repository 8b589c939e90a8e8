import pg from "pg";
import { Refusal } from "#contract/refusal.ts";
import type { IdRange } from "#ops/config.ts";
import { StartupProblem } from "#ops/startup-problem.ts";

/*
 * What an installation is among several: its range of ids and its name (docs/decisions/078). Both are kept in
 * the database, so that whoever starts without the variables works by them as well.
 */

/** What the environment says of it; null where it says nothing. */
export interface CellIdentity {
  idRange: IdRange | null;
  cell: string | null;
  /** Where other cells' processes reach this one's. */
  cellAddress: string | null;
}

/** The answer where the range has no id left; null for any other problem. */
export function refusedWithoutIds(problem: unknown): Refusal | null {
  const isUsedUp = problem instanceof pg.DatabaseError && problem.code === "2200H";
  return isUsedUp
    ? new Refusal(
        503,
        "This installation has given all ids of its ID_RANGE: nothing was changed, and its operator must make a new cell for what is to come.",
      )
    : null;
}

/** Every table of networks whose rows are known by the id alone: in all cells together each id is given once. */
export const tablesOfRange = [
  "networks",
  "users",
  "accounts",
  "sessions",
  "two_factors",
  "passkeys",
];

/** What a cell publishes: its own rows of `cells` and `directory`. */
export const cellPublication = "referral_network_cell";

/**
 * Take the range of ids and the name that the environment gives, where the database has none yet. `client` is the
 * owner's; where both are kept already, no right is needed. Throws a StartupProblem for others than the kept
 * ones, and for a range in which ids of the database lie.
 */
export async function keepCellIdentity(client: pg.Client, given: CellIdentity): Promise<void> {
  const kept = await readIdentity(client);
  if (kept.idRange === null && kept.cell === null && !given.idRange && !given.cell) return;
  refuseAnother("ID_RANGE", textOf(given.idRange), textOf(kept.idRange));
  refuseAnother("CELL", given.cell, kept.cell);
  const idRange = kept.idRange ?? given.idRange;
  const cell = kept.cell ?? given.cell;
  if (!idRange)
    throw new StartupProblem(
      "ID_RANGE must be set with CELL: ids of different cells must not be the same.",
    );
  await client.query("begin");
  try {
    if (!kept.idRange) await takeRange(client, idRange);
    if (!(await areCountersIn(client, idRange))) await setCounters(client, idRange);
    if (cell && !kept.cell) await takeName(client, cell, idRange);
    if (cell) await publishEntries(client, cell);
    if (cell && given.cellAddress) await setAddress(client, cell, given.cellAddress);
    await client.query("commit");
  } catch (problem) {
    await client.query("rollback");
    throw problem;
  }
}

const textOf = (range: IdRange | null) => range && `${range.first}-${range.last}`;

function refuseAnother(variable: string, given: string | null, kept: string | null): void {
  if (given === null || kept === null || given === kept) return;
  throw new StartupProblem(
    `${variable} is ${given}, and this database was given ${kept} before: it keeps that for good.`,
  );
}

async function readIdentity(client: pg.Client): Promise<Pick<CellIdentity, "idRange" | "cell">> {
  const { rows } = await client.query<{ first: string | null; last: string; cell: string | null }>(
    "select first_id as first, last_id as last, cell from installation",
  );
  const [found] = rows;
  const range = { first: Number(found?.first), last: Number(found?.last) };
  return { idRange: found?.first ? range : null, cell: found?.cell ?? null };
}

/** The database's ids must lie outside: they were given by another counter, which may have given any of the range. */
async function takeRange(client: pg.Client, { first, last }: IdRange): Promise<void> {
  await client.query(`lock table ${tablesOfRange.join(", ")} in share row exclusive mode`);
  for (const table of tablesOfRange) {
    const { rows } = await client.query<{ id: string }>(
      `select id::text from ${table} where id between $1 and $2 limit 1`,
      [first, last],
    );
    if (rows[0])
      throw new StartupProblem(
        `ID_RANGE ${first}-${last} was not taken: the database has ids of its own within it, such as ${rows[0].id} in ${table}. Choose a range in which none of its ids lie.`,
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

/** False in a new database, and in one that another's rows were copied into. */
async function areCountersIn(client: pg.Client, { first, last }: IdRange): Promise<boolean> {
  const { rows } = await client.query(
    `select from (${sequencesOfRange}) as ranged
      join pg_sequence s on s.seqrelid = ranged.sequence::regclass
      where s.seqmin <> $2 or s.seqmax <> $3`,
    [tablesOfRange, first, last],
  );
  return rows.length === 0;
}

/** The next ids are the range's, after those that were given of it. Once it is used up the database refuses more. */
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

async function takeName(client: pg.Client, cell: string, range: IdRange): Promise<void> {
  // Nothing may be made meanwhile: from the commit on triggers enter it.
  await client.query("lock table networks, users, passkeys in share row exclusive mode");
  await client.query("insert into cells (name, first_id, last_id) values ($1, $2, $3)", [
    cell,
    range.first,
    range.last,
  ]);
  await client.query("update installation set cell = $1", [cell]);
  await client.query(
    "insert into directory (kind, key, cell, of_network) select kind, key, $1, of_network from directory_entries",
    [cell],
  );
}

/** No copy of a database has the publication. */
async function publishEntries(client: pg.Client, cell: string): Promise<void> {
  const { rows } = await client.query("select from pg_publication where pubname = $1", [
    cellPublication,
  ]);
  if (rows.length > 0) return;
  const own = client.escapeLiteral(cell);
  await client.query(
    `create publication ${cellPublication} for table cells where (name = ${own}), directory where (cell = ${own})`,
  );
}

async function setAddress(client: pg.Client, cell: string, address: string): Promise<void> {
  await client.query(
    "update cells set address = $2 where name = $1 and address is distinct from $2",
    [cell, address],
  );
}
