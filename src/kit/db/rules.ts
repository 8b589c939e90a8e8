import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/*
 * The database's functions and triggers, from rules/: one file per subject, each function after the reason for it. The
 * files replace what is in the database, so that each rule can be read in one place. Tables, columns, constraints and
 * rows belong to the migrations.
 */

/** A function or a trigger from a file in rules/. */
interface Rule {
  /** Such as `function folded`, `trigger keep on debits`. */
  name: string;
  statement: string;
  checksum: string;
}

export interface Rules {
  /** Of all files, including comments: what a database records about the rules it has. */
  checksum: string;
  /** Functions first: triggers call them. */
  all: Rule[];
}

/** Throws an Error if a file has another kind of statement, or two have the same name. */
export async function readRules(folder: string): Promise<Rules> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  const text = texts.join("\n").replaceAll("\r\n", "\n"); // a check-out may have changed line ends
  const all = text.split(statementBegins);
  const rules = all.filter((part) => !part.startsWith("--") && part.trim() !== "").map(ruleOf);
  const twice = rules.find(({ name }, at) => rules.findIndex((rule) => rule.name === name) < at);
  if (twice) throw new Error(`rules/ has ${twice.name} twice.`);
  return {
    checksum: checksumOf(text),
    all: rules.toSorted((one, other) => Number(isTrigger(one)) - Number(isTrigger(other))),
  };
}

/** A line that begins a statement, or the comment before one. Comments within a function are indented. */
const statementBegins = /^(?=create |--)/m;

function ruleOf(text: string): Rule {
  const statement = text.trimEnd();
  const [, kind, name, table] =
    /^create (?:or replace |constraint )(function|trigger) (\w+)(?:[^$]*?\son (\w+))?/.exec(
      statement,
    ) ?? [];
  if (name === undefined || !statement.endsWith(";"))
    throw new Error(
      `rules/ has a statement that does not create a function or trigger: ${statement}`,
    );
  return {
    name: kind === "function" ? `function ${name}` : `trigger ${name} on ${table}`,
    statement,
    checksum: checksumOf(statement),
  };
}

const isTrigger = ({ name }: Pick<Rule, "name">) => name.startsWith("trigger ");

const checksumOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** Where a database records the rules that it was given. */
export async function makeRulesRecord(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `select to_regclass('rules') is not null as "isThere"`,
  );
  // Even "if not exists" needs the right to create tables, which the role that serves requests lacks.
  if (!rows[0]?.isThere)
    await client.query(`
      create table rules (
        name text primary key,
        statement_checksum text not null,
        definition_checksum text not null, -- of what PostgreSQL then answered
        server_version integer not null, -- another one may answer in other words
        applied_at timestamptz not null default now()
      )`);
}

/** The database's functions and triggers with the names in `recorded`, as PostgreSQL prints them. */
const definitions = `
  select 'function ' || p.proname as name, string_agg(pg_get_functiondef(p.oid), '' order by p.oid) as definition
  from pg_proc p
  where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
    and 'function ' || p.proname in (select name from recorded)
  group by p.proname
  union all
  select format('trigger %s on %s', t.tgname, c.relname), pg_get_triggerdef(t.oid) || t.tgenabled::text
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where not t.tgisinternal and c.relnamespace = 'public'::regnamespace`;

const checksumInSql = "encode(sha256(convert_to(f.definition, 'UTF8')), 'hex')";

const serverVersion = "current_setting('server_version_num')::integer / 10000";

/** The ones that were changed since. */
const changed = `
  with recorded as (
    select name, definition_checksum from rules where server_version = ${serverVersion}
  ), found as (${definitions})
  select r.name from recorded r left join found f on f.name = r.name
  where ${checksumInSql} is distinct from r.definition_checksum`;

/** Throws a StartupProblem that names what was changed by hand: someone may need the change. */
export async function refuseChangedRules(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`${changed} order by 1 limit 1`);
  const [first] = rows;
  if (first)
    throw new StartupProblem(
      `The ${first.name} of the database was changed or dropped by hand. Save that change if you need it. Then run "delete from rules where name = '${first.name}'" and start again to restore the product's version.`,
    );
}

/** Whether some rules are not recorded as this server prints them, as after an upgrade of PostgreSQL. */
export async function isWithoutRules(client: pg.Client, { all }: Rules): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from rules where server_version = ${serverVersion}`,
  );
  return rowCount !== all.length;
}

/** After a migration that others follow: rules that it changed itself are replaced with the last one. */
export async function forgetChangedRules(client: pg.Client): Promise<void> {
  await client.query(
    `delete from rules where server_version <> ${serverVersion} or name in (${changed})`,
  );
}

/** Install these functions and triggers, and remove those that are no longer in any file. */
export async function replaceRules(client: pg.Client, { all }: Rules): Promise<void> {
  await forgetChangedRules(client);
  const { rows: recorded } = await client.query<{ name: string; checksum: string }>(
    `select name, statement_checksum as checksum from rules order by name like 'function %', name`,
  );
  const gone = recorded.filter(({ name }) => !all.some((rule) => rule.name === name));
  const drop = async (name: string) =>
    await client.query(`drop ${name.replace(/^\w+/, "$& if exists")}`);
  for (const { name } of gone) if (isTrigger({ name })) await drop(name);
  const checksums = new Map(recorded.map(({ name, checksum }) => [name, checksum]));
  const due = all.filter(({ name, checksum }) => checksums.get(name) !== checksum);
  await client.query("set local check_function_bodies = off"); // functions call each other
  for (const { name, statement } of due) {
    if (statement.startsWith("create constraint")) await drop(name); // PostgreSQL cannot replace one
    await client.query(statement);
  }
  // Triggers that were just replaced may have called them until now.
  for (const { name } of gone) if (!isTrigger({ name })) await drop(name);
  await client.query("delete from rules where not name = any ($1)", [all.map(({ name }) => name)]);
  await client.query(
    `with recorded as (
       select * from unnest($1::text[], $2::text[]) as given (name, checksum)
     ), found as (${definitions})
     insert into rules (name, statement_checksum, definition_checksum, server_version)
     select name, r.checksum, ${checksumInSql}, ${serverVersion} from recorded r join found f using (name)
     on conflict (name) do update set statement_checksum = excluded.statement_checksum,
       definition_checksum = excluded.definition_checksum, server_version = excluded.server_version,
       applied_at = now()`,
    [due.map(({ name }) => name), due.map(({ checksum }) => checksum)],
  );
}

/** Rules are recorded among the migrations, so that a version that does not know them refuses to start. */
const rulesNoted = (applied: Map<string, string | null>) =>
  [...applied].filter(([name]) => name.startsWith("rules/"));

export const hasRules = ({ checksum }: Rules, applied: Map<string, string | null>) =>
  rulesNoted(applied).at(-1)?.[1] === checksum;

/** Numbered, because the database's latest rules count. */
export const nextRulesName = (applied: Map<string, string | null>, { checksum }: Rules) =>
  `rules/${String(rulesNoted(applied).length + 1).padStart(4, "0")} ${checksum.slice(0, 8)}`;

/** Refuse if this version's rules came before the current ones: they belong to an earlier version. */
export function refuseNewerRules(rules: Rules, applied: Map<string, string | null>): void {
  if (hasRules(rules, applied)) return;
  if (rulesNoted(applied).some(([, checksum]) => checksum === rules.checksum))
    throw new StartupProblem(
      "The database belongs to a newer version of Referral Network, which replaced its rules. Start that version, or restore a backup made before the upgrade.",
    );
}
