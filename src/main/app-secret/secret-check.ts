import { sql } from "kysely";
import { appSecret, isSecretKept } from "#kit/ops/app-secret.ts";
import type { Config } from "#kit/ops/config.ts";
import type { Db } from "#kit/db/database.ts";
import { resultInTime } from "#kit/ops/readiness.ts";
import { decryptsCheckValue, encryptCheckValue } from "#kit/ops/secret-check-value.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";
import { openAll } from "#main/app-secret/secret-rotation.ts";

/**
 * Returns the application secret that all processes on the database share; the first one to start stores a check value.
 * Throws a StartupProblem if the check value is of another secret, or if there is none and the secret decrypts nothing
 * that is stored.
 */
export async function verifyAppSecret(
  db: Db,
  config: Pick<Config, "appSecret" | "dataDir">,
): Promise<string> {
  const checkValue = await readCheckValue(db);
  if (checkValue && !isSecretKept(config)) throw new StartupProblem(missingSecretMessage(config)); // else a new secret would be generated
  const secret = appSecret(config);
  if (!checkValue && (await decryptsNothing(db, secret)))
    throw new StartupProblem(wrongSecretMessage(config));
  if (!decryptsCheckValue(checkValue ?? (await insertCheckValue(db, secret)), secret))
    throw new StartupProblem(wrongSecretMessage(config));
  return secret;
}

/** Why this process must stop using its secret, which was right at its start; null if it still is. */
export async function findSecretProblem(db: Db, secret: string): Promise<string | null> {
  const checkValue = await resultInTime(readCheckValue(db));
  return checkValue === null || decryptsCheckValue(checkValue, secret)
    ? null
    : "APP_SECRET was replaced while this process ran. Restart it with the new one.";
}

async function readCheckValue(db: Db): Promise<string | null> {
  const found = await db.selectFrom("installation").select("secretCheckValue").executeTakeFirst();
  return found?.secretCheckValue ?? null;
}

/** If several processes start together, the first one's value is stored and returned to all. */
async function insertCheckValue(db: Db, secret: string): Promise<string> {
  const { rows } = await sql<{ probe: string }>`
    insert into installation (secret_check_value) values (${encryptCheckValue(secret)})
    on conflict (is_only_row) do update
      set secret_check_value = coalesce(installation.secret_check_value, excluded.secret_check_value)
    returning secret_check_value as probe`.execute(db);
  return rows[0]?.probe ?? "";
}

/** Whether the secret decrypts none of the stored secrets. Some may be unreadable since an earlier rotation. */
async function decryptsNothing(db: Db, secret: string): Promise<boolean> {
  const opened = await openAll(db, secret);
  return opened.length > 0 && opened.every((plain) => plain === null);
}

const remedy =
  "If it is lost for good, stop all processes, run rotate-secret with --skip-unreadable (docs/operations.md), and enter the card processors' keys again.";

function wrongSecretMessage({
  appSecret: given,
  dataDir,
}: Pick<Config, "appSecret" | "dataDir">): string {
  return given
    ? `APP_SECRET is not this database's secret. Start with the secret that its other processes have. ${remedy}`
    : `The secret in ${dataDir}/app-secret is not this database's secret. Restore the right one. ${remedy}`;
}

const missingSecretMessage = ({ dataDir }: Pick<Config, "dataDir">) =>
  `This database's secret is missing. Restore the file ${dataDir}/app-secret, or start with the earlier APP_SECRET. ${remedy}`;
