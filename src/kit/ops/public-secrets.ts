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
 * Refuse to serve others with a secret that nobody gave, or that anybody guesses. A secret that is made
 * at the first start, where the data lies as well, is for one's own machine and for demos. Throws a
 * StartupProblem that names the variable.
 */
export function refuseMissingSecrets(
  config: Wanted,
  environment: Record<string, string | undefined>,
): void {
  if (config.reachedBy === null) return;
  const { appSecret, migrateDatabaseUrl, publicUrl } = config;
  if (migrateDatabaseUrl)
    throw new StartupProblem(
      'MIGRATE_DATABASE_URL must not be set for a process that serves others, which would then know the owner of the tables: give it to "npm run cli -- migrate" alone.',
    );
  // Without TLS and with the embedded database it is a demo, or tried out: one is made, as published.
  if (appSecret === null && publicUrl.startsWith("https:"))
    throw new StartupProblem(
      "APP_SECRET must be set (openssl rand -base64 32) with a PUBLIC_URL that begins with https: it is not made here for others to rely on.",
    );
  if (appSecret !== null && isGuessable(appSecret))
    throw new StartupProblem(
      'APP_SECRET is no random text: make one with "openssl rand -base64 32", and put it in place with "npm run cli -- rotate-secret" where there are records already.',
    );
  for (const [name, address] of [
    ["DATABASE_URL", config.databaseUrl],
    ["DATABASE_DIRECT_URL", config.databaseDirectUrl],
    ["DATABASE_READ_URL", config.databaseReadUrl],
  ] as const) {
    const readable = address && readHosts(address, name);
    if (readable && URL.canParse(readable) && !isAuthenticated(new URL(readable), environment))
      throw new StartupProblem(
        `${name} has no password: give its role one (alter role … password '…'), a certificate (sslcert, sslkey) or a socket of this machine (?host=/var/run/postgresql).`,
      );
  }
}

/** Few different characters, a short text repeated, or one from an example. */
function isGuessable(secret: string): boolean {
  return (
    new Set(secret).size < 10 ||
    /^(.{1,16}?)\1+.{0,16}$/s.test(secret) ||
    /change.?(me|this)|example|placeholder|password|your.?secret/i.test(secret)
  );
}

/** What the driver proves who it is with; a socket's other end knows the process' user. */
function isAuthenticated(url: URL, environment: Record<string, string | undefined>): boolean {
  const host = url.searchParams.get("host") ?? url.hostname;
  return (
    url.password !== "" ||
    isSocketFolder(host) ||
    ["password", "sslcert"].some((name) => url.searchParams.get(name)) ||
    ["PGPASSWORD", "PGPASSFILE"].some((name) => environment[name])
  );
}
