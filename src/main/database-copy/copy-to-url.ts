import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Outcome, StandaloneContext } from "#kit/cli/command.ts";
import type { Config } from "#kit/ops/config.ts";
import { countRows } from "#kit/db/copy-database.ts";
import { refuseUnusableTarget } from "#kit/db/copy-target.ts";
import { openEmbeddedDatabase } from "#kit/db/embedded-postgres/embedded-database.ts";
import { migrate } from "#kit/db/migrate.ts";
import { connectableAddress } from "#kit/db/configured-database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { copyAndVerify, embeddedConfig, placeOf } from "#main/database-copy/copying.ts";
import { type Copy, outcomeOf, dryRunOutcome } from "#main/database-copy/outcome.ts";

export interface WantedCopy {
  url: string;
  isDryRun: boolean;
}

/**
 * Copy the whole embedded database into the empty one at `url`, while nobody else has it open. A dry run only reads it,
 * beside a running server. Throws a sentence about what is wrong with either; the database at `url` then stays empty.
 */
export async function copyToUrl(context: StandaloneContext, wanted: WantedCopy): Promise<Outcome> {
  const config = embeddedConfig(context.environment);
  const dataDir = resolve(config.dataDir);
  if (!existsSync(join(dataDir, "postgres")))
    throw new Refusal(
      404,
      `There is no embedded database in ${dataDir}. Set DATA_DIR to the folder of the installation to copy.`,
    );
  const secret = secretOf(config);
  const target = await connectableAddress(wanted.url, "--to");
  const exclusive = !wanted.isDryRun;
  const embedded = await openEmbeddedDatabase({ dataDir, log: context.log, exclusive });
  context.closeAfter(() => embedded.stop());
  const source = embedded.connectionString;
  await migrate(source);
  const rows = await countRows(source);
  if (!rows.some(({ table, rows: count }) => table === "networks" && count > 0))
    throw new Refusal(
      404,
      `Nothing was copied: the database in ${dataDir} has no network yet. Start the servers with DATABASE_URL instead.`,
    );
  await refuseUnusableTarget(target, { named: "--to", source });
  const from = `the embedded database in ${dataDir}`;
  const into = placeOf(target);
  if (wanted.isDryRun) return dryRunOutcome({ from, into, rows });
  await migrate(target);
  const copied = await copyAndVerify(context, { source, target, secret: secret.text });
  return outcomeOf({ from, into, ...copied }, [
    secretSentence(copied, secret),
    ...(copied.hasDemo ? [demoSentence] : []),
    `Now start the servers with DATABASE_URL and that APP_SECRET. Later changes in the embedded database are not in the copy. When all is well, delete ${join(dataDir, "postgres")}.`,
  ]);
}

const demoSentence =
  "The demo's accounts were copied with their public password. A server that others can reach does not start on this database until those passwords are changed.";

interface Secret {
  /** Null if none was made yet. */
  text: string | null;
  /** Where its operator finds it. */
  place: string;
}

/** Throws 409 if either of two secrets may have encrypted the sessions and keys. */
function secretOf(config: Config): Secret {
  const file = resolve(config.dataDir, "app-secret");
  const saved = existsSync(file) ? readFileSync(file, "utf8").trim() : null;
  if (saved && config.appSecret && saved !== config.appSecret)
    throw new Refusal(
      409,
      `Nothing was copied: APP_SECRET differs from the secret in ${file}, which the embedded installation uses when it is started without APP_SECRET. Set APP_SECRET to that file's content, or move the file away if it is out of date.`,
    );
  return config.appSecret
    ? { text: config.appSecret, place: "it is the one in this command's environment" }
    : { text: saved, place: `it is in ${file}` };
}

function secretSentence({ secrets }: Pick<Copy, "secrets">, { text, place }: Secret): string {
  if (text === null) return "There is no APP_SECRET yet. Choose one of 32 characters or more.";
  const { stored, unreadable } = secrets ?? { stored: 0, unreadable: 0 };
  const keys =
    stored > 0 ? ` and card payments (${stored} stored ${stored === 1 ? "key" : "keys"})` : "";
  const lost =
    unreadable > 0
      ? ` It does not decrypt ${unreadable} of the stored keys, here or there. Enter those again.`
      : "";
  return `Sessions${keys} need the same APP_SECRET: ${place}.${lost}`;
}
