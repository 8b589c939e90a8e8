import type pg from "pg";
import { tablesOf } from "#kit/db/copied-tables.ts";
import { targetNotEmpty } from "#kit/db/copy-database.ts";
import { databaseIdentity } from "#kit/db/database-identity.ts";
import { withClient } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { isServerSession } from "#kit/db/server-sessions.ts";

/**
 * Refuse a target database that cannot be copied into, before changing anything in it. Throws 409: it is the source
 * itself, or not UTF-8; servers run on it, or it is not empty; or the role may not create tables there. `named` is
 * the setting or option with its address.
 */
export async function refuseUnusableTarget(
  target: string,
  { named, source }: { named: string; source: string },
): Promise<void> {
  const found = await inspectDatabase(target);
  const refuse = (sentence: string) => {
    throw new Refusal(409, `Nothing was copied: ${sentence}`);
  };
  if (found.identity === (await inspectDatabase(source)).identity)
    refuse(`${named} is the address of the database that is to be copied.`);
  if (found.encoding !== "UTF8")
    refuse(
      `the database at ${named} has encoding ${found.encoding}. Create one with encoding UTF8.`,
    );
  if (found.isServed)
    refuse(`servers are running on the database at ${named}. Stop all of them, web and workers.`);
  if (!found.isOwner)
    refuse(
      `the role ${found.role} may not create tables in the database ${found.database}. Make it the owner (alter database ${found.database} owner to ${found.role}).`,
    );
  if (found.hasNetworks) throw targetNotEmpty();
  if (found.foreignTables.length > 0)
    refuse(
      `the database at ${named} has other tables (${found.foreignTables.slice(0, 3).join(", ")}). Create a new one to copy into.`,
    );
}

interface TargetState {
  /** Equal for the same database, whatever name and role it is reached by. */
  identity: string;
  encoding: string;
  role: string;
  database: string;
  /** May create tables and schemas, and owns the existing tables. */
  isOwner: boolean;
  /** Servers run on it: each has a connection with its own application_name. */
  isServed: boolean;
  hasNetworks: boolean;
  /** Tables that are not the product's. Like `hasNetworks`, read only by an owner, who may. */
  foreignTables: string[];
}

async function inspectDatabase(connectionString: string): Promise<TargetState> {
  return await withClient(connectionString, "start", { statementMs: 30_000 }, async (client) => {
    const { rows } = await client.query<Omit<TargetState, "foreignTables" | "hasNetworks">>(`
      select ${databaseIdentity} as identity, pg_encoding_to_char(d.encoding) as encoding,
        quote_ident(current_user) as role, quote_ident(d.datname) as database,
        coalesce(has_schema_privilege(current_schema(), 'create'), false)
          and has_database_privilege(d.oid, 'create')
          and not exists (
            select from pg_class c where c.relnamespace = current_schema()::regnamespace
              and c.relkind = 'r' and not pg_has_role(c.relowner, 'usage')) as "isOwner",
        exists (
          select from pg_stat_activity a where a.datname = d.datname and ${isServerSession}) as "isServed"
      from pg_database d where d.datname = current_database()`);
    const [found] = rows;
    if (!found) throw new Error("a database knows its own name");
    const noTables = { hasNetworks: false, foreignTables: [] };
    return {
      ...found,
      ...(found.isOwner ? await readTables(client) : noTables),
    };
  });
}

async function readTables(
  client: pg.Client,
): Promise<Pick<TargetState, "hasNetworks" | "foreignTables">> {
  const names = (await tablesOf(client)).map(({ name }) => name);
  const isOurs = names.includes("migrations") && names.includes("networks");
  if (!isOurs)
    return { hasNetworks: false, foreignTables: names.filter((name) => name !== "migrations") };
  const { rowCount } = await client.query("select from networks limit 1");
  return { hasNetworks: rowCount !== 0, foreignTables: [] };
}
