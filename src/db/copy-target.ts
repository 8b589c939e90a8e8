import pg from "pg";
import { tablesOf } from "#db/copied-tables.ts";
import { notEmpty } from "#db/copy-database.ts";
import { Refusal } from "#contract/refusal.ts";
import { isServersSession } from "#db/server-sessions.ts";

/**
 * Refuse a database that cannot be filled from another one, before anything is done to it. Throws
 * 409: it is the source itself, or no UTF-8; others work on it, or it has something in it already;
 * the role may not make tables there. `named` is what the operator gave it as.
 */
export async function refuseUnusableTarget(
  target: string,
  { named, source }: { named: string; source: string },
): Promise<void> {
  const found = await lookAt(target);
  const refuse = (sentence: string) => {
    throw new Refusal(409, `Nothing was copied: ${sentence}`);
  };
  if (found.identity === (await lookAt(source)).identity)
    refuse(`${named} leads to the very database that is to be copied.`);
  if (found.encoding !== "UTF8")
    refuse(
      `the database at ${named} keeps texts as ${found.encoding}: make one with encoding UTF8.`,
    );
  if (found.isServed)
    refuse(`servers are running on the database at ${named}: stop them all, web and workers.`);
  if (!found.isOwner)
    refuse(
      `the role ${found.role} may not make what is needed in the database ${found.database}: make it the owner (alter database ${found.database} owner to ${found.role}).`,
    );
  if (found.hasNetworks) throw notEmpty();
  if (found.strange.length > 0)
    refuse(
      `the database at ${named} holds tables of something else (${found.strange.slice(0, 3).join(", ")}): make a new one to copy into.`,
    );
}

interface Found {
  /** The same for the same database, by whatever name and role it is reached. */
  identity: string;
  encoding: string;
  role: string;
  database: string;
  /** May make tables and schemas, and owns the tables that there are. */
  isOwner: boolean;
  /** Servers run on it: each keeps a line of its own to its database, named so. */
  isServed: boolean;
  hasNetworks: boolean;
  /** Tables, where they are not the product's; like `hasNetworks` only for an owner, who may look. */
  strange: string[];
}

async function lookAt(connectionString: string): Promise<Found> {
  const client = new pg.Client({
    connectionString,
    application_name: "referral-network start",
    connectionTimeoutMillis: 10_000,
    statement_timeout: 30_000,
  });
  await client.connect();
  try {
    const { rows } = await client.query<Omit<Found, "strange" | "hasNetworks">>(`
      select (select system_identifier from pg_control_system()) || ' ' || d.oid as identity,
        pg_encoding_to_char(d.encoding) as encoding,
        quote_ident(current_user) as role, quote_ident(d.datname) as database,
        coalesce(has_schema_privilege(current_schema(), 'create'), false)
          and has_database_privilege(d.oid, 'create')
          and not exists (
            select from pg_class c where c.relnamespace = current_schema()::regnamespace
              and c.relkind = 'r' and not pg_has_role(c.relowner, 'usage')) as "isOwner",
        exists (
          select from pg_stat_activity a where a.datname = d.datname and ${isServersSession}) as "isServed"
      from pg_database d where d.datname = current_database()`);
    const [found] = rows;
    if (!found) throw new Error("a database knows its own name");
    const nothing = { hasNetworks: false, strange: [] };
    return {
      ...found,
      ...(found.isOwner ? await whatIsThere(client) : nothing),
    };
  } finally {
    await client.end();
  }
}

async function whatIsThere(client: pg.Client): Promise<Pick<Found, "hasNetworks" | "strange">> {
  const names = (await tablesOf(client)).map(({ name }) => name);
  const isOurs = names.includes("migrations") && names.includes("networks");
  if (!isOurs)
    return { hasNetworks: false, strange: names.filter((name) => name !== "migrations") };
  const { rowCount } = await client.query("select from networks limit 1");
  return { hasNetworks: rowCount !== 0, strange: [] };
}
