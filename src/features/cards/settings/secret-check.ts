import { sql } from "kysely";
import { appSecret, isSecretKept } from "#ops/app-secret.ts";
import type { Config } from "#ops/config.ts";
import type { Db } from "#db/database.ts";
import { resultInTime } from "#ops/readiness.ts";
import { decryptsCheckValue, encryptCheckValue } from "#ops/secret-check-value.ts";
import { StartupProblem } from "#ops/startup-problem.ts";
import { allSecrets, opened } from "#features/cards/settings/secret-rotation.ts";

/**
 * The secret of this process, which is that of all processes on the database: the first one to start
 * settles it. Throws a StartupProblem when the database is used with another one, or when, in a
 * database from before this was kept, it opens nothing of what is sealed there.
 */
export async function agreeOnSecret(
  db: Db,
  config: Pick<Config, "appSecret" | "dataDir">,
): Promise<string> {
  const known = await probeOf(db);
  if (known && !isSecretKept(config)) throw new StartupProblem(lost(config)); // or another would be made
  const secret = appSecret(config);
  if (!known && (await opensNothing(db, secret))) throw new StartupProblem(another(config));
  if (!decryptsCheckValue(known ?? (await keepProbe(db, secret)), secret))
    throw new StartupProblem(another(config));
  return secret;
}

/** Why this process must not go on with its secret, which was right when it started; null when it still is. */
export async function whyNotThisSecret(db: Db, secret: string): Promise<string | null> {
  const known = await resultInTime(probeOf(db));
  return known === null || decryptsCheckValue(known, secret)
    ? null
    : "APP_SECRET was replaced while this process ran: start it again with the new one.";
}

async function probeOf(db: Db): Promise<string | null> {
  const found = await db.selectFrom("installation").select("sealedProbe").executeTakeFirst();
  return found?.sealedProbe ?? null;
}

/** Of several processes that start at once the first one's is kept, and answered to all. */
async function keepProbe(db: Db, secret: string): Promise<string> {
  const { rows } = await sql<{ probe: string }>`
    insert into installation (sealed_probe) values (${encryptCheckValue(secret)})
    on conflict (is_only_row) do update
      set sealed_probe = coalesce(installation.sealed_probe, excluded.sealed_probe)
    returning sealed_probe as probe`.execute(db);
  return rows[0]?.probe ?? "";
}

/** Some of it may have been lost to an earlier rotation; all of it is another secret's. */
async function opensNothing(db: Db, secret: string): Promise<boolean> {
  const sealed = await allSecrets(db);
  return (
    sealed.length > 0 &&
    sealed.every(({ text, owner, version }) => opened(text, owner, secret, version) === null)
  );
}

const remedy =
  "if that is lost for good, stop all processes and run rotate-secret with --skip-unreadable (docs/operations.md), after which the card processors' keys are entered again.";

function another({ appSecret: given, dataDir }: Pick<Config, "appSecret" | "dataDir">): string {
  return given
    ? `APP_SECRET is not the secret that this database is used with: start with the one that its other processes have; ${remedy}`
    : `The secret in ${dataDir}/app-secret is not the one that this database is used with: put that one back; ${remedy}`;
}

const lost = ({ dataDir }: Pick<Config, "dataDir">) =>
  `The secret that this database is used with is missing: put the file ${dataDir}/app-secret back, or start with the APP_SECRET that was given before; ${remedy}`;
