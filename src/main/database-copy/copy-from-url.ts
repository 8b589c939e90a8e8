import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type pg from "pg";
import { appSecret, replaceAppSecret } from "#kit/ops/app-secret.ts";
import type { Outcome, StandaloneContext } from "#kit/cli/command.ts";
import type { Config } from "#kit/ops/config.ts";
import { countRows } from "#kit/db/copy-database.ts";
import { refuseUnusableTarget } from "#kit/db/copy-target.ts";
import { openEmbeddedDatabase } from "#kit/db/embedded-postgres/embedded-database.ts";
import { migrate, refuseOtherMigrations } from "#kit/db/migrate.ts";
import { connectableAddress } from "#kit/db/configured-database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { copyAndVerify, embeddedConfig, placeOf } from "#main/database-copy/copying.ts";
import type { WantedCopy } from "#main/database-copy/copy-to-url.ts";
import { outcomeOf, dryRunOutcome } from "#main/database-copy/outcome.ts";
import { removeSecretsAndMail } from "#main/database-copy/remove-secrets.ts";

/**
 * Fill an embedded database with a copy of the one at `url` as it is now, without changing or blocking it. Unless it is
 * to be whole, secrets and email are removed. Throws a sentence about what is wrong with either.
 */
export async function copyFromUrl(
  context: StandaloneContext,
  wanted: WantedCopy & { isWhole: boolean },
): Promise<Outcome> {
  const config = embeddedConfig(context.environment);
  const dataDir = resolve(config.dataDir);
  const keepSecret = wanted.isWhole ? prepareSecret(config) : null;
  const source = await connectableAddress(wanted.url, "--from");
  await refuseOtherMigrations(source, "--from");
  const from = placeOf(source);
  const into = `the embedded database in ${dataDir}`;
  if (wanted.isDryRun && !existsSync(join(dataDir, "postgres")))
    return dryRunOutcome({ from, into, rows: await countRows(source) });
  const embedded = await openEmbeddedDatabase({ dataDir, log: context.log, exclusive: true });
  context.closeAfter(() => embedded.stop());
  const target = embedded.connectionString;
  await refuseUnusableTarget(target, { named: "DATA_DIR", source });
  if (wanted.isDryRun) return dryRunOutcome({ from, into, rows: await countRows(source) });
  await migrate(target);
  keepSecret?.();
  const secret = appSecret({ ...config, appSecret: null });
  const adjust = wanted.isWhole
    ? undefined
    : (client: pg.ClientBase) => removeSecretsAndMail(client, secret);
  const copied = await copyAndVerify(context, { source, target, secret, adjust });
  return outcomeOf({ from, into, ...copied }, [
    wanted.isWhole ? wholeSentence : safeCopySentence,
    `It has real people and their debts. Delete ${dataDir} when you are done.`,
  ]);
}

const wholeSentence =
  "Everything was copied, and APP_SECRET is saved in DATA_DIR. Once started, THIS COPY CHARGES CARDS, REFUNDS MONEY, AND EMAILS PEOPLE (with SMTP_URL) like the original installation. Do not run both.";
const safeCopySentence =
  "This is a rehearsal copy: the card processors' keys, waiting email, sessions and password links were left out. Start it with the same DATA_DIR, without DATABASE_URL, APP_SECRET and SMTP_URL. Everybody signs in again with their own password.";

/** The original installation's secret, which decrypts its data. Returns a function that saves it in DATA_DIR. */
function prepareSecret(config: Config): () => void {
  const file = resolve(config.dataDir, "app-secret");
  if (!config.appSecret)
    throw new Refusal(
      422,
      "Nothing was copied: --whole needs the APP_SECRET of the installation at --from. Only it decrypts the sessions and the card processors' keys.",
    );
  const secret = config.appSecret;
  if (existsSync(file) && readFileSync(file, "utf8").trim() !== secret)
    throw new Refusal(
      409,
      `Nothing was copied: the secret in ${file} differs from APP_SECRET. Choose an empty DATA_DIR.`,
    );
  return () => void replaceAppSecret({ ...config, appSecret: null }, secret)();
}
