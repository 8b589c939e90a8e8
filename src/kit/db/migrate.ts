import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { IdRange } from "#kit/ops/config.ts";
import { keepIdRange } from "#kit/db/id-range.ts";
import { newClient, whileOpen, withClient } from "#kit/db/database.ts";
import { explainMissingRights } from "#kit/db/database-rights.ts";
import { rebuildNameOrder } from "#kit/db/name-order.ts";
import type { OpenedDatabase } from "#kit/db/configured-database.ts";
import {
  forgetChangedRules,
  hasRules,
  isWithoutRules,
  makeRulesRecord,
  nextRulesName,
  readRules,
  refuseChangedRules,
  refuseNewerRules,
  replaceRules,
  type Rules,
} from "#kit/db/rules.ts";
import { grantServingRole, servingRoleOf } from "#kit/db/serving-role.ts";
import { projectFolder } from "#kit/ops/project-folder.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

const shippedFolder = join(projectFolder, "migrations/");
const shippedRules = join(projectFolder, "rules/");

/** Any number, the same for every process. */
const migrationLock = 7_203_911;

/** A migration may build an index over years of entries. */
const statementMs = 60 * 60_000;
/** A migration that waits for a table blocks all later statements on it. It is better to stop and retry. */
const lockMs = 5_000;
const attempts = 24;
/** How long to wait for another process's migrations before giving up. */
const migrationLockMinutes = 10;

/**
 * Migrate the database as its owner and, if the serving role is another role, grant that its rights. As `migrate`,
 * and as `grantServingRole`. The range of ids from the environment is stored, as in `keepIdRange`. `log` reports
 * what was done to rows and indexes.
 */
export async function migrateAsOwner(
  database: Pick<OpenedDatabase, "directConnectionString" | "ownerConnectionString">,
  idRange: IdRange | null = null,
  log?: (line: string) => void,
): Promise<string[]> {
  const { directConnectionString, ownerConnectionString } = database;
  const servingRole =
    ownerConnectionString === directConnectionString
      ? null
      : await servingRoleOf(directConnectionString, ownerConnectionString);
  return await migrate(ownerConnectionString, { servingRole, idRange, log });
}

/**
 * Migrate the database: each file of migrations/ in the order of its name, each in its own transaction, and the
 * functions and triggers of rules/ with the last one. An advisory lock makes processes that start together take
 * turns. Answers the names applied; if there are none, the role only needs the right to read. Throws a
 * StartupProblem, and changes nothing, if the database has migrations or rules that this version does not know, has
 * one with another text, has a rule that was changed by hand, or belongs to another role. `servingRole` serves
 * requests. `log` reports in sentences what a migration did to rows (it uses `raise info`), and which indexes were
 * rebuilt. Migrations other than the shipped ones come without rules, except those of `rulesFolder`.
 */
export async function migrate(
  connectionString: string,
  {
    folder = shippedFolder,
    rulesFolder = folder === shippedFolder ? shippedRules : null,
    servingRole = null,
    idRange,
    log = () => undefined,
  }: {
    folder?: string | undefined;
    rulesFolder?: string | null;
    servingRole?: string | null;
    idRange?: IdRange | null | undefined;
    log?: ((line: string) => void) | undefined;
  } = {},
): Promise<string[]> {
  const client = newClient(connectionString, "migrations", { statementMs, lockMs });
  client.on("notice", ({ severity, message }) => {
    if (severity === "INFO" && message) log(message);
  });
  return await whileOpen(client, async () => {
    await acquireMigrationLock(client);
    const known = await readMigrations(folder);
    return await explainMissingRights(connectionString, async () => {
      const rules = rulesFolder === null ? null : await readRules(rulesFolder);
      const names = await applyMissing(client, known, rules);
      const rebuilt = await inTurns(client, "Rebuilding the order of names", () =>
        rebuildNameOrder(client),
      );
      if (rebuilt.length > 0)
        log(
          `The ICU version that sorts names has changed, so these indexes were rebuilt: ${rebuilt.join(", ")}.`,
        );
      if (idRange !== undefined) await keepIdRange(client, idRange);
      if (servingRole !== null) await grantServingRole(client, servingRole);
      return names;
    });
  });
}

/** Wait while another process migrates. */
async function acquireMigrationLock(client: pg.Client): Promise<void> {
  await client.query(`set lock_timeout = '${migrationLockMinutes}min'`);
  try {
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
  } catch (problem) {
    if (!isLockTimeout(problem)) throw problem;
    throw new StartupProblem(
      `Another process has been migrating the database for ${migrationLockMinutes} minutes. Look for "referral-network migrations" in pg_stat_activity.`,
      { cause: problem },
    );
  }
  await client.query(`set lock_timeout = ${lockMs}`);
}

/**
 * Refuse a database that does not have exactly this version's migrations. Changes nothing there. `named` is the
 * setting or option with its address. Throws a StartupProblem.
 */
export async function refuseOtherMigrations(
  connectionString: string,
  named: string,
): Promise<void> {
  await withClient(connectionString, "migrations", { statementMs: lockMs }, async (client) => {
    if (!(await wasMigrated(client)))
      throw new StartupProblem(`The database at ${named} is not a Referral Network database.`);
    const known = await readMigrations(shippedFolder);
    const applied = await readApplied(client);
    refuseUnknownMigrations(known, applied);
    const rules = await readRules(shippedRules);
    refuseNewerRules(rules, applied);
    const missing =
      known.find(({ name }) => !applied.has(name))?.name ??
      (hasRules(rules, applied) ? null : "rules/");
    if (missing)
      throw new StartupProblem(
        `The database at ${named} was not migrated to this version of Referral Network (it lacks ${missing}). Use the version that runs there.`,
      );
  });
}

interface Migration {
  name: string;
  statements: string;
  checksum: string;
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  return await Promise.all(
    names.map(async (name) => {
      const statements = await readFile(join(folder, name), "utf8");
      return { name, statements, checksum: checksumOf(statements) };
    }),
  );
}

/** Independent of line endings and trailing blanks, which a check-out may change. */
function checksumOf(statements: string): string {
  const lines = statements.replace(/^\uFEFF/, "").split(/\r?\n/);
  const text = lines.map((line) => line.trimEnd()).join("\n");
  return createHash("sha256").update(text.trimEnd()).digest("hex");
}

async function wasMigrated(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `select to_regclass('migrations') is not null as "isThere"`,
  );
  return rows[0]?.isThere ?? false;
}

async function applyMissing(
  client: pg.Client,
  known: Migration[],
  rules: Rules | null,
): Promise<string[]> {
  // Even "if not exists" needs the right to create tables, which the role that serves requests lacks.
  if (!(await wasMigrated(client)))
    await client.query(
      "create table migrations (name text primary key, applied_at timestamptz not null default now(), checksum text)",
    );
  const applied = await readApplied(client);
  refuseUnknownMigrations(known, applied);
  const missing = known.filter(({ name }) => !applied.has(name));
  const names = missing.map(({ name }) => name);
  if (!rules) {
    for (const migration of missing)
      await inTurns(client, `Migration ${migration.name}`, () => apply(client, migration));
    return names;
  }
  refuseNewerRules(rules, applied);
  await makeRulesRecord(client);
  await refuseChangedRules(client);
  const last = missing.pop();
  for (const migration of missing)
    await inTurns(client, `Migration ${migration.name}`, async () => {
      await apply(client, migration);
      await forgetChangedRules(client);
    });
  if (last || !hasRules(rules, applied) || (await isWithoutRules(client, rules)))
    await inTurns(client, last ? `Migration ${last.name}` : "Replacing rules", async () => {
      if (last) await apply(client, last);
      await replaceRules(client, rules);
      if (hasRules(rules, applied)) return;
      const name = nextRulesName(applied, rules);
      await note(client, name, rules.checksum);
      names.push(name);
    });
  return names;
}

/** Each migration that a database has, with the checksum of its text when it was applied. */
async function readApplied(client: pg.Client): Promise<Map<string, string | null>> {
  // As JSON, because a database of an early 0.1, which must be refused with a message, has no such column.
  const { rows } = await client.query<{ name: string; checksum: string | null }>(
    "select name, to_jsonb(migrations) ->> 'checksum' as checksum from migrations order by name",
  );
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

/** Every database of 0.1 has it, and none of a later version: migrations were squashed after 0.1. */
const onlyIn01 = "0002_attorneys.sql";

/** A database that was migrated with other files, or other text, is not the one that this version expects. */
function refuseUnknownMigrations(known: Migration[], applied: Map<string, string | null>): void {
  if (applied.has(onlyIn01))
    throw new StartupProblem(
      "The database belongs to version 0.1 of Referral Network, which this version cannot migrate. Start version 0.1 on it, or give this version an empty database with another DATABASE_URL or DATA_DIR.",
    );
  const fromFuture = [...applied.keys()].filter(
    (name) => !name.startsWith("rules/") && !known.some((file) => file.name === name),
  );
  if (fromFuture.length > 0)
    throw new StartupProblem(
      `The database belongs to a newer version of Referral Network (it has ${fromFuture.join(", ")}). Start that version, or restore a backup made before the upgrade.`,
    );
  const edited = known.find(
    ({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum,
  );
  if (edited)
    throw new StartupProblem(
      `The migration ${edited.name} was edited after it was applied to this database. Restore the file, and change the database with a new migration.`,
    );
}

/**
 * Work in a transaction. Retries for up to two minutes while others hold a table for longer than `lockMs`, or hold
 * what it needs next.
 */
async function inTurns<Answer>(
  client: pg.Client,
  work: string,
  act: () => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query("begin");
      const answer = await act();
      await client.query("commit");
      return answer;
    } catch (problem) {
      await client.query("rollback");
      if ((isLockTimeout(problem) || isDeadlock(problem)) && attempt < attempts) await pause(500);
      else
        throw new StartupProblem(
          `${work} failed and was undone: ${problem instanceof Error ? problem.message : String(problem)}.`,
          { cause: problem },
        );
    }
  }
}

async function apply(client: pg.Client, { name, statements, checksum }: Migration): Promise<void> {
  await client.query(statements);
  await note(client, name, checksum);
}

async function note(client: pg.Client, name: string, checksum: string): Promise<void> {
  await client.query("insert into migrations (name, checksum) values ($1, $2)", [name, checksum]);
}

function isLockTimeout(problem: unknown): boolean {
  return problem instanceof pg.DatabaseError && problem.code === "55P03";
}

function isDeadlock(problem: unknown): boolean {
  return problem instanceof pg.DatabaseError && problem.code === "40P01";
}
