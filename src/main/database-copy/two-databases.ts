import type pg from "pg";
import type { StandaloneContext } from "#kit/cli/command.ts";
import { UsageProblem } from "#kit/cli/command-arguments.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { databaseIdentity } from "#kit/db/database-identity.ts";
import { migrateAsOwner, refuseOtherMigrations } from "#kit/db/migrate.ts";
import { connectableAddress, openConfiguredDatabase } from "#kit/db/configured-database.ts";
import { isServerSession } from "#kit/db/server-sessions.ts";
import { appSecret } from "#kit/ops/app-secret.ts";
import { readConfig } from "#kit/ops/config.ts";

/** The environment's database, as the owner of its tables, and its APP_SECRET. */
export async function ownDatabase(
  context: StandaloneContext,
): Promise<{ address: string; secret: string }> {
  const config = readConfig(context.environment);
  const database = await openConfiguredDatabase(config, context.log);
  context.closeAfter(() => database.close());
  await migrateAsOwner(database, config.idRange, context.log);
  return { address: database.ownerConnectionString, secret: appSecret(config) };
}

/**
 * The address of another installation's database. `given` is an address without a password, or the name of a variable
 * with one; `named` is the option. Throws a sentence about what is wrong.
 */
export async function otherDatabase(
  { environment }: StandaloneContext,
  given: string,
  named: string,
): Promise<string> {
  const isAddress = /^postgres(ql)?:\/\//;
  if (isAddress.test(given) && (new URL(given).password !== "" || /[?&]password=/.test(given)))
    throw new UsageProblem(
      `${named} contains a password, which others can see on a command line. Put the address in a variable, and give ${named} the variable's name.`,
    );
  const written = isAddress.test(given) ? given : environment[given];
  if (!written || !isAddress.test(written))
    throw new UsageProblem(
      `${named} must be an address that begins with postgres://, or the name of a variable with such an address. ${given} is neither.`,
    );
  const address = await connectableAddress(written, named);
  await refuseOtherMigrations(address, named);
  return address;
}

/** Throws 409 if `named` is the environment's own database. */
export async function refuseSameDatabase(
  own: pg.Client,
  other: pg.Client,
  named: string,
): Promise<void> {
  const [one, two] = await Promise.all([own, other].map(identityOf));
  if (one === two) throw new Refusal(409, `Nothing was changed: ${named} is this same database.`);
}

async function identityOf(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ identity: string }>(
    `select ${databaseIdentity} as identity`,
  );
  return rows[0]?.identity;
}

/** Throws 409 while a web process or worker runs on the database; `where` describes it. */
export async function refuseServed(client: pg.Client, where: string): Promise<void> {
  const { rowCount } = await client.query(
    `select from pg_stat_activity where datname = current_database() and ${isServerSession} limit 1`,
  );
  if (rowCount)
    throw new Refusal(
      409,
      `Nothing was changed: servers are running on the database ${where}. Stop all of them, web and workers.`,
    );
}

/** When the network was made, which identifies a copy; null if there is no network with this id. */
export async function networkMadeAt(client: pg.Client, networkId: number): Promise<string | null> {
  const { rows } = await client.query<{ madeAt: string }>(
    `select created_at as "madeAt" from networks where id = $1`,
    [networkId],
  );
  return rows[0]?.madeAt ?? null;
}
