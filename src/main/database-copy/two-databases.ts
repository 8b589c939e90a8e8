import type pg from "pg";
import type { StandaloneContext } from "#kit/cli/command.ts";
import { UsageProblem } from "#kit/cli/command-arguments.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { databaseIdentity } from "#kit/db/database-identity.ts";
import { bringUpToDate, refuseOtherMigrations } from "#kit/db/migrate.ts";
import { connectableAddress, openConfiguredDatabase } from "#kit/db/open-database.ts";
import { isServerSession } from "#kit/db/server-sessions.ts";
import { appSecret } from "#kit/ops/app-secret.ts";
import { readConfig } from "#kit/ops/config.ts";

/** The database that the environment names, by the owner of its tables, and its APP_SECRET. */
export async function ownDatabase(
  context: StandaloneContext,
): Promise<{ address: string; secret: string }> {
  const config = readConfig(context.environment);
  const database = await openConfiguredDatabase(config, context.log);
  context.closeAfter(() => database.close());
  await bringUpToDate(database, config.idRange, context.log);
  return { address: database.ownerConnectionString, secret: appSecret(config) };
}

/**
 * The address of another installation's database. `given` is that address without a password, or the name of the
 * variable that holds it; `named` is the option. Throws what is wrong with it in a sentence.
 */
export async function otherDatabase(
  { environment }: StandaloneContext,
  given: string,
  named: string,
): Promise<string> {
  const isAddress = /^postgres(ql)?:\/\//;
  if (isAddress.test(given) && (new URL(given).password !== "" || /[?&]password=/.test(given)))
    throw new UsageProblem(
      `${named} has a password in it, which others see on a command line: put the address into a variable, and give ${named} its name.`,
    );
  const written = isAddress.test(given) ? given : environment[given];
  if (!written || !isAddress.test(written))
    throw new UsageProblem(
      `${named} must be an address that begins with postgres://, or name a variable that holds one: ${given} does not.`,
    );
  const address = await connectableAddress(written, named);
  await refuseOtherMigrations(address, named);
  return address;
}

/** Throws 409 where `named` leads to the very database that the environment names. */
export async function refuseSameDatabase(
  own: pg.Client,
  other: pg.Client,
  named: string,
): Promise<void> {
  const [one, two] = await Promise.all([own, other].map(identityOf));
  if (one === two)
    throw new Refusal(409, `Nothing was changed: ${named} leads to this very database.`);
}

async function identityOf(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ identity: string }>(
    `select ${databaseIdentity} as identity`,
  );
  return rows[0]?.identity;
}

/** Throws 409 while a web process or a worker runs on the database that `where` says. */
export async function refuseServed(client: pg.Client, where: string): Promise<void> {
  const { rowCount } = await client.query(
    `select from pg_stat_activity where datname = current_database() and ${isServerSession} limit 1`,
  );
  if (rowCount)
    throw new Refusal(
      409,
      `Nothing was changed: servers are running on the database ${where}: stop them all, web and workers.`,
    );
}

/** When the network was made, by which a copy is known; null where the database has none of this id. */
export async function networkMadeAt(client: pg.Client, networkId: number): Promise<string | null> {
  const { rows } = await client.query<{ madeAt: string }>(
    `select created_at as "madeAt" from networks where id = $1`,
    [networkId],
  );
  return rows[0]?.madeAt ?? null;
}
