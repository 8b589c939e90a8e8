import { accessSync, constants, existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { whileOpen } from "#kit/db/database.ts";
import { newPgClient } from "#kit/db/find-primary.ts";
import { isSocketFolder, readHosts, refuseReadingHosts } from "#kit/ops/database-hosts.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/*
 * The meaning of an address's `sslmode` and `sslrootcert`, as in PostgreSQL's documentation (libpq, "SSL Support"),
 * so that the server and its commands read an address like `psql` and `pg_dump`. The driver itself treats `require`
 * as `verify-full` and no mode as `disable`, and does not know `allow`.
 */

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

type Environment = Record<string, string | undefined>;

/**
 * Translate an address into one that the driver understands, with the same meaning. For `prefer`, the default
 * without `sslmode`, and for `allow` it connects once to find out what the database accepts; of several hosts, to
 * the one that accepts writes. Throws a StartupProblem that names the variable if the address contradicts itself or
 * names a file that cannot be read; and what connecting throws.
 */
export async function resolveTls(
  given: string,
  variable: string,
  environment: Environment = process.env,
): Promise<string> {
  refuseReadingHosts(given, variable);
  const address = readHosts(given, variable);
  const { mode, rootCertificate } = readTls(address, variable, environment);
  const plain = withTls(address, { sslmode: "disable" });
  const unverified = withTls(address, { sslmode: "no-verify" }); // the driver's name for `require`
  if (mode === "disable" || isSocket(address)) return plain;
  if (mode === "allow") return await firstThatConnects(plain, unverified);
  if (mode === "prefer") return await firstThatConnects(unverified, plain);
  if (!rootCertificate) return unverified;
  const sslrootcert = rootCertificate;
  if (mode === "verify-full") return withTls(address, { sslmode: "verify-full", sslrootcert });
  // With the authority's certificate, `require` verifies like `verify-ca`.
  return withTls(address, { sslmode: "verify-ca", sslrootcert, uselibpqcompat: "true" });
}

interface Tls {
  mode: string;
  /** The authority's certificate for verification; null without verification. */
  rootCertificate: string | null;
}

function readTls(address: string, variable: string, environment: Environment): Tls {
  const parameters = new URL(address).searchParams;
  const sslmode =
    parameters.get("sslmode") ?? (parameters.get("ssl") === "true" ? "require" : null);
  const mode = sslmode ?? (environment["PGSSLMODE"] || "prefer");
  if (!modes.includes(mode))
    throw new StartupProblem(
      `sslmode of ${variable} must be ${modes.slice(0, -1).join(", ")} or ${modes.at(-1)}; it is ${JSON.stringify(mode)}${mode === "no-verify" ? ', which is called "require"' : ""}.`,
    );
  const file = parameters.get("sslrootcert") ?? environment["PGSSLROOTCERT"] ?? "";
  if (file === "system")
    return { mode, rootCertificate: systemCertificates(mode, variable, environment) };
  const isVerified = mode.startsWith("verify-");
  const usual = join(homedir(), ".postgresql", "root.crt");
  const rootCertificate = file || (existsSync(usual) ? usual : null);
  if (isVerified && !rootCertificate)
    throw new StartupProblem(
      `sslmode=${mode} of ${variable} needs sslrootcert, the file with the certificate of the authority that signed the database's (or system for the authorities that this machine trusts, with verify-full).`,
    );
  if (rootCertificate && (isVerified || mode === "require"))
    refuseUnreadable(rootCertificate, variable);
  return { mode, rootCertificate };
}

/** Where systems store OpenSSL's bundle of trusted authorities. */
const bundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

function systemCertificates(mode: string, variable: string, environment: Environment): string {
  if (mode !== "verify-full")
    throw new StartupProblem(`sslrootcert=system of ${variable} needs sslmode=verify-full.`);
  const bundle = environment["SSL_CERT_FILE"] ?? bundles.find((path) => existsSync(path));
  if (!bundle)
    throw new StartupProblem(
      `sslrootcert of ${variable} is system, but this machine has no file of trusted authorities. Install its ca-certificates, or name a file.`,
    );
  refuseUnreadable(bundle, variable);
  return bundle;
}

function refuseUnreadable(file: string, variable: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (problem) {
    throw new StartupProblem(
      `${file}, which sslrootcert of ${variable} names, cannot be read. It must be the certificate of the authority that signed the database's certificate.`,
      { cause: problem },
    );
  }
}

/** A socket of this machine is never encrypted. */
function isSocket(address: string): boolean {
  const url = new URL(address);
  return isSocketFolder(url.searchParams.get("host") ?? url.hostname);
}

function withTls(address: string, tls: Record<string, string>): string {
  const url = new URL(address);
  const named = ["ssl", "sslmode", "sslrootcert", "uselibpqcompat"];
  if (tls["sslmode"] === "disable") named.push("sslcert", "sslkey", "sslnegotiation");
  for (const name of named) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(tls)) url.searchParams.set(name, value);
  return url.href;
}

const unreachableCodes = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
]);

/** The first of two addresses that connects. Throws the second one's error. */
async function firstThatConnects(first: string, second: string): Promise<string> {
  try {
    await connectOnce(first);
    return first;
  } catch (problem) {
    const code = problem instanceof Error && "code" in problem ? String(problem.code) : "";
    if (unreachableCodes.has(code)) throw problem; // unreachable either way
    await connectOnce(second);
    return second;
  }
}

/** Without the time limits of other connections, which a pooler does not accept. */
async function connectOnce(address: string): Promise<void> {
  const client = newPgClient({
    connectionString: address,
    application_name: "referral-network start",
    connectionTimeoutMillis: 10_000,
  });
  await whileOpen(client, async () => undefined);
}
