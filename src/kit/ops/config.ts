import { z } from "zod";
import { isEmailAddress } from "#kit/domain/email-text.ts";
import { fieldErrors } from "#kit/contract/validation-messages.ts";
import { isLoopback } from "#kit/ops/loopback.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

const flag = z
  .enum(["0", "1"], { error: "must be 0 or 1" })
  .transform((value) => value === "1")
  .optional();

const port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a port number from 1 to 65535")
  .transform(Number)
  .refine((number) => number >= 1 && number <= 65_535, "must be a port number from 1 to 65535");

/** A whole number within bounds, as text. */
const wholeNumber = (min: number, max: number) => {
  const sentence = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,6}$/, sentence)
    .transform(Number)
    .refine((number) => number >= min && number <= max, sentence);
};

const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, "must begin with postgres:// or postgresql://");

const siteAddressSentence =
  "must be an http or https address without a path, query, fragment, user or password, such as https://dues.example.org";

/** Scheme, host and port: pages, calls and emailed links are directly below it. A trailing slash is dropped. */
const siteAddress = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .regex(/^https?:\/\/[^/?#@\\]+\/*$/i, siteAddressSentence)
  .transform((address) => new URL(address).origin);

/** The first and the last id that an installation gives to networks and accounts. */
export interface IdRange {
  first: number;
  last: number;
}

const idRangeSentence =
  "must be two whole numbers such as 2000000001-3000000000, the first less than the second, or the first of ten million";

/** The size of a range of which only the first id is given. Source: published interface, "Environment". */
const idsOfRange = 10_000_000;

const idRange = z
  .string()
  .regex(/^[1-9]\d{0,14}(-[1-9]\d{0,14})?$/, idRangeSentence)
  .transform((text): IdRange => {
    const [first = 0, last = first + idsOfRange - 1] = text.split("-").map(Number);
    return { first, last };
  })
  .refine(({ first, last }) => first < last, idRangeSentence);

const Environment = z.object({
  PORT: port.default(3000),
  HOST: z.string().default("127.0.0.1"),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_DIRECT_URL: postgresUrl.optional(),
  MIGRATE_DATABASE_URL: postgresUrl.optional(),
  DATABASE_READ_URL: postgresUrl.optional(),
  DATABASE_CONNECTIONS: wholeNumber(10, 1000).default(20),
  ID_RANGE: idRange.optional(),
  DATA_DIR: z.string().default(".data"),
  ROLES: z
    .string()
    .regex(/^(web|worker)(,(web|worker))?$/, "must be web, worker or web,worker")
    .default("web,worker"),
  APP_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  DEMO: flag,
  RATE_LIMITS: flag,
  SANDBOX_PORT: port.optional(),
  PUBLIC_URL: siteAddress.optional(),
  TRUST_PROXY: wholeNumber(0, 9).default(0),
  STOP_SECONDS: wholeNumber(1, 3600).default(40),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, "must begin with smtp:// or smtps://")
    .optional(),
  MAIL_FROM: z.string().refine(isEmailAddress, "must be an email address").optional(),
  METRICS_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
  HEALTH_PORT: port.optional(),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error"], { error: "must be debug, info, warn or error" })
    .optional(),
});

/** How this process runs, read once from the environment. Source: the published interface. */
export interface Config {
  port: number;
  host: string;
  /** The setting through which other machines reach it, such as `HOST 0.0.0.0`; null if only this machine does. */
  reachedBy: string | null;
  /** An external PostgreSQL; null runs the embedded one. */
  databaseUrl: string | null;
  /** The same PostgreSQL without the transaction pooler; null if `databaseUrl` is direct. */
  databaseDirectUrl: string | null;
  /** The same PostgreSQL for the role that owns its tables; null if there is only `databaseUrl`. */
  migrateDatabaseUrl: string | null;
  /** Standbys that reports are read from; null if there is only the primary. */
  databaseReadUrl: string | null;
  /** The ids for new networks and accounts; null: the database's stored range, or any. */
  idRange: IdRange | null;
  /** The most database connections of this process at the same time. */
  databaseConnections: number;
  dataDir: string;
  roles: { web: boolean; worker: boolean };
  /** Null until one is made and stored in the data folder. */
  appSecret: string | null;
  /** Whether an empty database gets the demo network. By default only if no other machine reaches it. */
  demo: boolean;
  rateLimits: boolean;
  sandboxPort: number;
  /** Where browsers reach the product, without a trailing slash. */
  publicUrl: string;
  /** Origins that browsers may sign in and open sockets from. */
  origins: string[];
  /** How many reverse proxies are in front, each adding to X-Forwarded-For. */
  trustedProxies: number;
  stop: StopConfig;
  mail: MailConfig;
  /** Allows reading `/metrics` from other machines. */
  metricsToken: string | null;
  /** Where a process without web answers health checks; null if it does not. */
  healthPort: number | null;
  logLevel: string;
}

/** How a process stops after SIGTERM. */
export interface StopConfig {
  /** How long it still accepts requests after reporting that it is not ready. */
  drainMs: number;
  /** How long running work may take after that. */
  timeoutMs: number;
}

/** The names of all variables that are read. */
export const variables = Object.keys(Environment.shape);

export interface MailConfig {
  /** Null saves email in the data folder instead of sending it. */
  smtpUrl: string | null;
  /** The sender's address. */
  from: string;
}

/** Throws a StartupProblem that names the variable and what it must be. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const parsed = Environment.safeParse(given, { reportInput: true });
  if (!parsed.success) {
    const [first] = fieldErrors(parsed.error);
    const name = first?.path ?? "";
    throw new StartupProblem(`${name}${first?.message.slice(name.length) ?? " is not valid."}`);
  }
  const { PORT, HOST, DATABASE_URL, APP_SECRET, DEMO, RATE_LIMITS, SANDBOX_PORT } = parsed.data;
  const publicUrl = parsed.data.PUBLIC_URL ?? `http://localhost:${PORT}`;
  const reachedBy = settingReached(HOST, publicUrl);
  refuseIncomplete(parsed.data, reachedBy);
  return {
    port: PORT,
    host: HOST,
    reachedBy,
    databaseUrl: DATABASE_URL ?? null,
    databaseDirectUrl: parsed.data.DATABASE_DIRECT_URL ?? null,
    migrateDatabaseUrl: parsed.data.MIGRATE_DATABASE_URL ?? null,
    databaseReadUrl: parsed.data.DATABASE_READ_URL ?? null,
    idRange: parsed.data.ID_RANGE ?? null,
    databaseConnections: parsed.data.DATABASE_CONNECTIONS,
    dataDir: parsed.data.DATA_DIR,
    roles: {
      web: parsed.data.ROLES.includes("web"),
      worker: parsed.data.ROLES.includes("worker"),
    },
    appSecret: APP_SECRET ?? null,
    demo: DEMO ?? (DATABASE_URL === undefined && reachedBy === null),
    rateLimits: RATE_LIMITS ?? true,
    sandboxPort: SANDBOX_PORT ?? PORT + 1,
    publicUrl,
    origins: originsOf(publicUrl, parsed.data.PUBLIC_URL ? reachedBy : null),
    trustedProxies: parsed.data.TRUST_PROXY,
    stop: {
      // A proxy needs a moment to notice. Without a proxy there is no one to wait for.
      drainMs: parsed.data.TRUST_PROXY > 0 ? 250 * parsed.data.STOP_SECONDS : 0,
      timeoutMs: 1000 * parsed.data.STOP_SECONDS,
    },
    mail: {
      smtpUrl: parsed.data.SMTP_URL ?? null,
      from: parsed.data.MAIL_FROM ?? `no-reply@${new URL(publicUrl).hostname}`,
    },
    metricsToken: parsed.data.METRICS_TOKEN ?? null,
    healthPort: parsed.data.HEALTH_PORT ?? null,
    // With the embedded database a person watches the terminal, and only needs to see problems.
    logLevel: parsed.data.LOG_LEVEL ?? (DATABASE_URL ? "info" : "warn"),
  };
}

/** Behind a proxy on this machine HOST is loopback, but PUBLIC_URL shows that others connect. */
function settingReached(host: string, publicUrl: string): string | null {
  if (!isLoopback(host)) return `HOST ${host}`;
  return isLoopback(new URL(publicUrl).hostname) ? null : `PUBLIC_URL ${publicUrl}`;
}

/** If only this machine reaches it, its three names are equal. A public address has no other. */
function originsOf(publicUrl: string, reachedBy: string | null): string[] {
  const { origin, protocol, port } = new URL(publicUrl);
  if (reachedBy !== null || protocol !== "http:") return [origin];
  const at = port === "" ? "" : `:${port}`;
  const others = ["localhost", "127.0.0.1", "[::1]"].map((name) => `http://${name}${at}`);
  return [...new Set([origin, ...others])];
}

/** Variables that need others. */
function refuseIncomplete(given: z.output<typeof Environment>, reachedBy: string | null): void {
  if (given.DATABASE_URL && !given.APP_SECRET)
    throw new StartupProblem("APP_SECRET must be set (32 characters or more) with DATABASE_URL.");
  for (const name of ["DATABASE_DIRECT_URL", "MIGRATE_DATABASE_URL", "DATABASE_READ_URL"] as const)
    if (given[name] && !given.DATABASE_URL)
      throw new StartupProblem(`DATABASE_URL must be set with ${name}.`);
  if (given.RATE_LIMITS === false && reachedBy !== null)
    throw new StartupProblem(
      `RATE_LIMITS=0 is refused, because ${reachedBy} can be reached from other machines. It is only for load tests on a loopback address.`,
    );
  if (given.TRUST_PROXY > 0 && !given.PUBLIC_URL)
    throw new StartupProblem(
      "PUBLIC_URL must be set with TRUST_PROXY: the address at which browsers reach the proxy, such as https://dues.example.org.",
    );
}
