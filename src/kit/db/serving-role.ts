import type pg from "pg";
import { queryOneRow } from "#kit/db/query-one-row.ts";
import { databaseIdentity } from "#kit/db/database-identity.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/*
 * The role that serves requests owns nothing, and only reads and writes rows (docs/decisions/066). So a fault of
 * the server, or an injected statement, cannot change the tables themselves. It has no right to do what triggers
 * always refuse.
 */

/**
 * What the role may do, as rows of (object, privilege), and what it was granted. A table's `before delete` triggers
 * refuse every deletion, and `refuse_change` refuses every update for which it is called; `refuse_audit_change`
 * refuses updates, but lets old sign-in records be deleted. Sequences are read by pg_dump, and advance
 * automatically when a row is inserted. The migrations and rules are the owner's records: the role only reads them.
 * Only the role may call functions that run with the owner's rights; a trigger's function is called only by its
 * trigger. With its own temporary table the role could act as a trigger does (rules/staging-tables.sql), so only
 * the owner creates them.
 */
const grantsQuery = `
  with role as (
    select $1::text::regrole as name
  ), objects as (
    select c.oid, c.relkind, c.relacl, format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'pgboss') and c.relkind in ('r', 'p', 'v', 'S')
      and pg_has_role(c.relowner, 'usage') -- not those of an extension
  ), wanted as (
    select o.relkind, o.name, p.privilege
    from objects o, unnest(case o.relkind when 'S' then array['SELECT'] when 'v' then array['SELECT']
      else array['SELECT', 'INSERT', 'UPDATE', 'DELETE'] end) as p (privilege)
    where (o.name not in ('public.migrations', 'public.rules') or p.privilege = 'SELECT')
      and not exists (
        select from pg_trigger t join pg_proc f on f.oid = t.tgfoid
        where t.tgrelid = o.oid and t.tgtype & 2 = 2 and t.tgqual is null and t.tgattr::text = ''
          and (p.privilege = 'DELETE' and t.tgtype & 9 = 9 and f.proname <> 'refuse_audit_change'
            or p.privilege = 'UPDATE' and t.tgtype & 17 = 17
              and f.proname in ('refuse_change', 'refuse_audit_change')))
  ), given as (
    select o.relkind, o.name, a.privilege_type as privilege
    from role, objects o cross join aclexplode(o.relacl) a
    where a.grantee = role.name
  ), changes as (
    select 'grant %s on %s %s to %s' as statement, * from (select * from wanted except select * from given) missing
    union all
    select 'revoke %s on %s %s from %s', * from (select * from given except select * from wanted) excess
  )
  select format(statement, string_agg(privilege, ', ' order by privilege),
    case relkind when 'S' then 'sequence' else 'table' end, changes.name, role.name) as statement
  from changes, role group by statement, relkind, changes.name, role.name
  union all
  select format('grant usage on schema %I to %s', n.nspname, role.name) from role, pg_namespace n
  where n.nspname in ('public', 'pgboss') and not has_schema_privilege(role.name, n.oid, 'usage')
  union all
  select format('revoke create on schema %I from public, %s', n.nspname, role.name) from role, pg_namespace n
  where n.nspname in ('public', 'pgboss') and has_schema_privilege(role.name, n.oid, 'create')
  union all
  select format('revoke execute on function %s from public', p.oid::regprocedure)
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname in ('public', 'pgboss') and pg_has_role(p.proowner, 'usage')
    and (p.prosecdef or p.prorettype = 'trigger'::regtype)
    and (p.proacl is null or exists (select from aclexplode(p.proacl) a where a.grantee = 0))
  union all
  select format('grant execute on function %s to %s', p.oid::regprocedure, role.name)
  from role, pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = 'public' and pg_has_role(p.proowner, 'usage') and p.prosecdef
    and p.prorettype <> 'trigger'::regtype
    and not exists (select from aclexplode(p.proacl) a where a.grantee = role.name)
  union all
  select format('grant connect on database %I to %s', current_database(), role.name) from role
  where not has_database_privilege(role.name, current_database(), 'connect')
  union all
  select format('revoke temporary on database %I from public, %s', current_database(), role.name) from role
  where has_database_privilege(role.name, current_database(), 'temporary')`;

/**
 * Grant the role that serves requests what it needs of the existing tables, and revoke anything else; `client` is
 * the owner's. Throws a StartupProblem for a role that this cannot restrict.
 */
export async function grantServingRole(client: pg.Client, role: string): Promise<void> {
  const { rows: powers } = await client.query<Powers>(
    `select rolname = current_user as "isSame", rolsuper as "isSuperuser",
      pg_has_role(oid, current_user, 'member') as "isOwner"
    from pg_roles where rolname = $1`,
    [role],
  );
  const [found] = powers;
  if (!found) throw new StartupProblem(`The database has no role ${role}.`);
  if (found.isSame) return;
  if (found.isSuperuser || found.isOwner)
    throw new StartupProblem(
      `The role ${role} of DATABASE_URL ${found.isSuperuser ? "is a superuser" : "is a member of the one that owns the tables"}, so its rights cannot be limited: ${remedy}.`,
    );
  const name = client.escapeIdentifier(role);
  const { rows } = await client.query<{ statement: string }>(grantsQuery, [name]);
  if (rows.length === 0) return;
  await client.query(`begin; ${rows.map(({ statement }) => statement).join("; ")}; commit`);
}

interface Powers {
  isSame: boolean;
  isSuperuser: boolean;
  isOwner: boolean;
}

const remedy = `create a separate role for serving (create role referral_network_server login password '…'; docs/operations.md, "Two roles")`;

/**
 * The role that serves requests at the direct address. Throws a StartupProblem if the two addresses lead to
 * different databases.
 */
export async function servingRoleOf(direct: string, owner: string): Promise<string> {
  const [serving, owning] = await Promise.all([identityAt(direct), identityAt(owner)]);
  if (serving.database !== owning.database)
    throw new StartupProblem(
      "MIGRATE_DATABASE_URL leads to another database than DATABASE_URL. Both must lead to the same database, for two roles.",
    );
  return serving.role;
}

/** The role and the database at an address: the same on a primary and its standbys. */
export async function identityAt(
  connectionString: string,
): Promise<{ role: string; database: string }> {
  return await queryOneRow(
    connectionString,
    `select current_user as role, ${databaseIdentity} as database`,
  );
}

/** Rights beyond tables. An administrator may have granted it the right to read the server's figures. */
const powersQuery = `
  select quote_ident(current_user) as role, exists (
      select from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'pgboss') and pg_has_role(c.relowner, 'usage')) as "ownsTables",
    has_schema_privilege('public', 'create') as "mayCreate",
    array_remove(array[
      case when rolcreaterole then 'nocreaterole' end, case when rolcreatedb then 'nocreatedb' end,
      case when rolreplication then 'noreplication' end, case when rolbypassrls then 'nobypassrls' end], null)
      as "withoutAttributes",
    array(select quote_ident(r.rolname) from pg_roles r
      where starts_with(r.rolname, 'pg_') and pg_has_role(r.oid, 'member') and r.rolname not in ('pg_monitor',
        'pg_read_all_settings', 'pg_read_all_stats', 'pg_stat_scan_tables', 'pg_use_reserved_connections')
      order by r.rolname) as memberships
  from pg_roles where rolname = current_user`;

/** What a serving role could do other than read and write rows, in a sentence; null: nothing. */
export async function findExcessRights(connectionString: string): Promise<string | null> {
  const found = await queryOneRow<ServingPowers>(connectionString, powersQuery);
  const { role, ownsTables, mayCreate } = found;
  if (!ownsTables && !mayCreate) return furtherPowers(found);
  return `The role ${role} of DATABASE_URL ${ownsTables ? "owns tables of the database" : "may create tables in the database"}, so anyone who exploits the server could change them: ${remedy}, then run "npm run cli -- migrate" once with the current address as MIGRATE_DATABASE_URL and the new role's as DATABASE_URL.`;
}

interface ServingPowers {
  role: string;
  ownsTables: boolean;
  mayCreate: boolean;
  withoutAttributes: string[];
  memberships: string[];
}

function furtherPowers({ role, withoutAttributes, memberships }: ServingPowers): string | null {
  const statements = [
    ...(withoutAttributes.length > 0 ? [`alter role ${role} ${withoutAttributes.join(" ")}`] : []),
    ...(memberships.length > 0 ? [`revoke ${memberships.join(", ")} from ${role}`] : []),
  ];
  if (statements.length === 0) return null;
  return `The role ${role} of DATABASE_URL has rights that serving does not need. As a superuser, run "${statements.join("; ")}".`;
}
