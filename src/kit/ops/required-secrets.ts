import type { Config } from "#kit/ops/config.ts";
import { isSocketFolder, readHosts } from "#kit/ops/database-hosts.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

type Wanted = Pick<
  Config,
  | "appSecret"
  | "databaseUrl"
  | "databaseDirectUrl"
  | "databaseReadUrl"
  | "migrateDatabaseUrl"
  | "publicUrl"
  | "reachedBy"
>;

/**
 * Refuse to serve others with a missing or guessable secret. A secret that is made at the first start, in the same
 * place as the data, is only for one's own machine and for demos. Throws a StartupProblem that names the variable.
 */
export function refuseMissingSecrets(
  config: Wanted,
  environment: Record<string, string | undefined>,
): void {
  if (config.reachedBy === null) return;
  const { appSecret, migrateDatabaseUrl, publicUrl } = config;
  if (migrateDatabaseUrl)
    throw new StartupProblem(
      'MIGRATE_DATABASE_URL must not be set for a process that serves others, because it gives access as the owner of the tables. Set it only for "npm run cli -- migrate".',
    );
  // Without TLS and with the embedded database it is a demo or a trial: a secret is made, as published.
  if (appSecret === null && publicUrl.startsWith("https:"))
    throw new StartupProblem(
      "APP_SECRET must be set (openssl rand -base64 32) if PUBLIC_URL begins with https. It is not created automatically for a public site.",
    );
  if (appSecret !== null && isGuessable(appSecret))
    throw new StartupProblem(
      'APP_SECRET is not random. Make one with "openssl rand -base64 32". If there are records already, change it with "npm run cli -- rotate-secret".',
    );
  for (const [name, address] of [
    ["DATABASE_URL", config.databaseUrl],
    ["DATABASE_DIRECT_URL", config.databaseDirectUrl],
    ["DATABASE_READ_URL", config.databaseReadUrl],
  ] as const) {
    const readable = address && readHosts(address, name);
    if (readable && URL.canParse(readable) && !isAuthenticated(new URL(readable), environment))
      throw new StartupProblem(
        `${name} has no password. Give its role a password (alter role … password '…') or a certificate (sslcert, sslkey), or use a socket of this machine (?host=/var/run/postgresql).`,
      );
  }
}

/** Few different characters, a repeated short text, or an example's text. */
function isGuessable(secret: string): boolean {
  return (
    new Set(secret).size < 10 ||
    /^(.{1,16}?)\1+.{0,16}$/s.test(secret) ||
    /change.?(me|this)|example|placeholder|password|your.?secret/i.test(secret)
  );
}

/** Whether the driver has credentials. The other end of a socket knows the process's user. */
function isAuthenticated(url: URL, environment: Record<string, string | undefined>): boolean {
  const host = url.searchParams.get("host") ?? url.hostname;
  return (
    url.password !== "" ||
    isSocketFolder(host) ||
    ["password", "sslcert"].some((name) => url.searchParams.get(name)) ||
    ["PGPASSWORD", "PGPASSFILE"].some((name) => environment[name])
  );
}
