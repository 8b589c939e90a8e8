import pg from "pg";
import { queryOneRow } from "#kit/db/query-one-row.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/** insufficient_privilege, and invalid_schema_name for a schema without the right to use it. */
const missingRightCodes = ["42501", "3F000"];
/** read_only_sql_transaction */
const readOnlyCode = "25006";

/**
 * Do work that changes the database's tables. If a right is missing, throws a StartupProblem that names the role,
 * the database and the statements that grant it.
 */
export async function explainMissingRights<Answer>(
  connectionString: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (problem) {
    const refused = permissionErrorIn(problem);
    if (!refused) throw problem;
    throw new StartupProblem(await sentenceFor(connectionString, refused), { cause: problem });
  }
}

/** The error may be wrapped as another one's cause. */
function permissionErrorIn(problem: unknown): pg.DatabaseError | null {
  if (!(problem instanceof Error)) return null;
  if (problem instanceof pg.DatabaseError)
    return [...missingRightCodes, readOnlyCode].includes(problem.code ?? "") ? problem : null;
  return permissionErrorIn(problem.cause);
}

/** A role also owns what its groups own. Superusers' tables cannot be granted that way. */
const ownersQuery = `
  select quote_ident(current_user) as role, quote_ident(current_database()) as database,
    pg_has_role(d.datdba, 'usage') as "ownsDatabase",
    (select pg_has_role(n.nspowner, 'usage') or n.nspowner = 'pg_database_owner'::regrole
      from pg_namespace n where n.nspname = 'public') as "ownsSchema",
    (select array_agg(distinct case when o.rolsuper then '' else quote_ident(o.rolname) end)
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_roles o on o.oid = c.relowner
      where n.nspname in ('public', 'pgboss') and c.relkind in ('r', 'p')
        and not pg_has_role(c.relowner, 'usage')) as others
  from pg_database d where d.datname = current_database()`;

interface Owners {
  role: string;
  database: string;
  ownsDatabase: boolean;
  /** Null if there is no schema of that name. */
  ownsSchema: boolean | null;
  /** The other owners of its tables, a superuser as an empty text; null if all are its own. */
  others: string[] | null;
}

async function sentenceFor(connectionString: string, refused: pg.DatabaseError): Promise<string> {
  const found = await queryOneRow<Owners>(connectionString, ownersQuery);
  const { role, database, ownsDatabase, others } = found;
  if (refused.code === readOnlyCode)
    return `The role ${role} may only read the database ${database} (${refused.message}). DATABASE_URL must lead to the primary, where default_transaction_read_only is off.`;
  if (!ownsDatabase && others && !others.includes(""))
    return `The database ${database} is not up to date with this version, and the role ${role}, which serves requests, may not change it (${refused.message}). Run "npm run cli -- migrate" with the address of its owner, ${others.join(" or ")}, as MIGRATE_DATABASE_URL.`;
  const another = ownsDatabase
    ? ""
    : ' Or run "npm run cli -- migrate" with the address of the role that owns it as MIGRATE_DATABASE_URL.';
  return `The role ${role} may not change the database ${database} (${refused.message}), which it must own: ${remedyFor(found)}.${another}`;
}

function remedyFor({ role, database, ownsDatabase, ownsSchema, others }: Owners): string {
  if (others?.includes(""))
    return `its tables belong to a superuser, so create a database that ${role} owns and restore a backup there as ${role} (docs/operations.md, "Two roles")`;
  const statements = [
    ...(ownsDatabase ? [] : [`alter database ${database} owner to ${role}`]),
    ...(ownsSchema === false ? [`alter schema public owner to ${role}`] : []),
    ...(others ?? []).map((other) => `grant ${other} to ${role}`),
  ];
  const all = statements.length > 0 ? statements : [`grant all on database ${database} to ${role}`];
  return `as a superuser, in that database, run "${all.join("; ")}"`;
}
