import { z } from "zod";
import { fieldErrors } from "#contract/sentences.ts";
import { StartupProblem } from "#server/startup-problem.ts";

const flag = z
  .enum(["0", "1"], { error: "must be 0 or 1" })
  .transform((value) => value === "1")
  .optional();

const port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a port number from 1 to 65535")
  .transform(Number)
  .refine((number) => number >= 1 && number <= 65_535, "must be a port number from 1 to 65535");

const Environment = z.object({
  PORT: port.default(3000),
  HOST: z.string().default("127.0.0.1"),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must begin with postgres:// or postgresql://")
    .optional(),
  DATA_DIR: z.string().default(".data"),
  ROLES: z
    .string()
    .regex(/^(web|worker)(,(web|worker))?$/, "must be web, worker or web,worker")
    .default("web,worker"),
  APP_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  DEMO: flag,
  RATE_LIMITS: flag,
  SANDBOX_PORT: port.optional(),
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).optional(),
  TRUST_PROXY: flag,
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, "must begin with smtp:// or smtps://")
    .optional(),
  MAIL_FROM: z.email({ error: "must be an email address" }).optional(),
  METRICS_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
});

const loopback = ["127.0.0.1", "localhost", "::1"];

/** How this process is to run, read once from the environment. Source: the published interface. */
export interface Config {
  port: number;
  host: string;
  /** An external PostgreSQL; null runs the embedded one. */
  databaseUrl: string | null;
  dataDir: string;
  roles: { web: boolean; worker: boolean };
  /** Null until one is made and kept in the data folder. */
  appSecret: string | null;
  demo: boolean;
  rateLimits: boolean;
  sandboxPort: number;
  /** Where browsers reach the product, without a trailing slash. */
  publicUrl: string;
  /** Origins that browsers may sign in and open sockets from. */
  origins: string[];
  trustProxy: boolean;
  mail: MailConfig;
  /** Lets `/metrics` be read from elsewhere than loopback. */
  metricsToken: string | null;
}

export interface MailConfig {
  /** Null keeps mail in the data folder instead of sending it. */
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
  if (DATABASE_URL && !APP_SECRET) {
    throw new StartupProblem("APP_SECRET must be set (32 characters or more) with DATABASE_URL.");
  }
  if (RATE_LIMITS === false && !loopback.includes(HOST)) {
    throw new StartupProblem("RATE_LIMITS=0 is refused unless HOST is a loopback address.");
  }
  const publicUrl =
    parsed.data.PUBLIC_URL?.replace(/(?<!\/)\/+$/, "") ?? `http://localhost:${PORT}`;
  return {
    port: PORT,
    host: HOST,
    databaseUrl: DATABASE_URL ?? null,
    dataDir: parsed.data.DATA_DIR,
    roles: {
      web: parsed.data.ROLES.includes("web"),
      worker: parsed.data.ROLES.includes("worker"),
    },
    appSecret: APP_SECRET ?? null,
    demo: DEMO ?? DATABASE_URL === undefined,
    rateLimits: RATE_LIMITS ?? true,
    sandboxPort: SANDBOX_PORT ?? PORT + 1,
    publicUrl,
    origins: parsed.data.PUBLIC_URL
      ? [new URL(publicUrl).origin]
      : [`http://localhost:${PORT}`, `http://127.0.0.1:${PORT}`, `http://[::1]:${PORT}`],
    trustProxy: parsed.data.TRUST_PROXY ?? false,
    mail: {
      smtpUrl: parsed.data.SMTP_URL ?? null,
      from: parsed.data.MAIL_FROM ?? `no-reply@${new URL(publicUrl).hostname}`,
    },
    metricsToken: parsed.data.METRICS_TOKEN ?? null,
  };
}
