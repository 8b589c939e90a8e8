import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { resolveTls } from "#kit/db/database-tls.ts";
import { newClient } from "#kit/db/database.ts";
import {
  type EmbeddedDatabase,
  openEmbeddedDatabase,
} from "#kit/db/embedded-postgres/embedded-database.ts";
import { openConfiguredDatabase } from "#kit/db/configured-database.ts";

/*
 * What an address asks for, at a PostgreSQL with TLS: its certificate is for "localhost", signed by an
 * authority of the tests' own. Where psql is installed, it must take every address as we do.
 */

const certificates = fileURLToPath(
  new URL("../../../tests/support/certificates/", import.meta.url),
);
const authority = join(certificates, "authority.pem");
const otherAuthority = join(certificates, "other-authority.pem");

let dataDir: string;
let database: EmbeddedDatabase;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "referral-network-tls-"));
  mkdirSync(join(dataDir, "home"));
  vi.stubEnv("HOME", join(dataDir, "home")); // a home without certificates
  database = await openEmbeddedDatabase({
    dataDir,
    settings: { fsync: "off" },
    log: () => undefined,
  });
  putBeside("database.pem", "server.crt");
  putBeside("database.key", "server.key");
  await administer("create database encrypted_only", "create database plain_only");
  const rules = [
    "hostssl encrypted_only all 127.0.0.1/32 scram-sha-256",
    "hostnossl plain_only all 127.0.0.1/32 scram-sha-256",
    "host postgres,referral_network all 127.0.0.1/32 scram-sha-256",
  ];
  writeFileSync(join(dataDir, "postgres/pg_hba.conf"), `${rules.join("\n")}\n`);
  await speakTls("on");
});
afterAll(async () => {
  await database.stop();
  rmSync(dataDir, { recursive: true });
  vi.unstubAllEnvs();
});

/** Into PostgreSQL's own folder, as its own user's. */
function putBeside(certificate: string, name: string): void {
  const path = join(dataDir, "postgres", name);
  const { uid, gid } = statSync(join(dataDir, "postgres"));
  copyFileSync(join(certificates, certificate), path);
  chmodSync(path, 0o600);
  chownSync(path, uid, gid);
}

async function administer(...statements: string[]): Promise<void> {
  const url = new URL(database.connectionString);
  url.username = "postgres";
  url.pathname = "/postgres";
  const client = new Client({ connectionString: url.href });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** The postmaster reads its settings again in a moment: a new connection shows that it has. */
async function speakTls(wanted: "on" | "off"): Promise<void> {
  await administer(`alter system set ssl = ${wanted}`, "select pg_reload_conf()");
  const line = wanted === "on" ? "encrypted" : "refused";
  const isIn = async () => (await lineOf({ tls: { sslmode: "require" } })) === line;
  await vi.waitUntil(isIn, 60_000);
}

interface Asked {
  host?: string;
  name?: string;
  tls: Record<string, string>;
  environment?: Record<string, string>;
}

function addressOf({ host = "127.0.0.1", name = "referral_network", tls }: Asked): string {
  const url = new URL(database.connectionString);
  url.hostname = host;
  url.pathname = `/${name}`;
  url.search = new URLSearchParams(tls).toString();
  return url.href;
}

const isEncrypted =
  "select case when ssl then 'encrypted' else 'plain' end as line from pg_stat_ssl where pid = pg_backend_pid()";

/** How the product's connections go there; "refused" when they do not. */
async function lineOf(asked: Asked): Promise<string> {
  const client = await resolveTls(addressOf(asked), "DATABASE_URL", asked.environment ?? {})
    .then((address) => newClient(address, "test", { statementMs: 10_000 }))
    .catch(() => null);
  if (!client) return "refused";
  try {
    await client.connect();
    return (await client.query<{ line: string }>(isEncrypted)).rows[0]?.line ?? "";
  } catch {
    return "refused";
  } finally {
    await client.end().catch(() => undefined);
  }
}

const [psql] = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "psql"))
  .filter((path) => statSync(path, { throwIfNoEntry: false }));

/** How psql's go, where it is installed; else as ours must. */
function lineOfPsql(asked: Asked, expected: string): string {
  if (!psql) return expected;
  const { status, stdout } = spawnSync(psql, ["-XAt", addressOf(asked), "-c", isEncrypted], {
    env: { HOME: join(dataDir, "home"), ...asked.environment },
    encoding: "utf8",
  });
  return status === 0 ? stdout.trim() : "refused";
}

const verified = (sslmode: string, sslrootcert = authority) => ({ sslmode, sslrootcert });

describe("with a database that supports TLS", () => {
  test.each<[string, Asked, string]>([
    ["nothing asked", { tls: {} }, "encrypted"],
    ["disable", { tls: { sslmode: "disable" } }, "plain"],
    ["allow", { tls: { sslmode: "allow" } }, "plain"],
    [
      "allow, where TLS is a must",
      { name: "encrypted_only", tls: { sslmode: "allow" } },
      "encrypted",
    ],
    ["prefer", { tls: { sslmode: "prefer" } }, "encrypted"],
    ["prefer, where TLS is refused", { name: "plain_only", tls: { sslmode: "prefer" } }, "plain"],
    ["nothing, where TLS is a must", { name: "encrypted_only", tls: {} }, "encrypted"],
    [
      "disable, where TLS is a must",
      { name: "encrypted_only", tls: { sslmode: "disable" } },
      "refused",
    ],
    ["require", { tls: { sslmode: "require" } }, "encrypted"],
    [
      "require, where TLS is refused",
      { name: "plain_only", tls: { sslmode: "require" } },
      "refused",
    ],
    ["require, with the authority", { tls: verified("require") }, "encrypted"],
    ["require, with another authority", { tls: verified("require", otherAuthority) }, "refused"],
    ["verify-ca", { tls: verified("verify-ca") }, "encrypted"],
    [
      "verify-ca, with another authority",
      { tls: verified("verify-ca", otherAuthority) },
      "refused",
    ],
    ["verify-ca, with no authority", { tls: { sslmode: "verify-ca" } }, "refused"],
    ["verify-full, by another name", { tls: verified("verify-full") }, "refused"],
    ["verify-full", { host: "localhost", tls: verified("verify-full") }, "encrypted"],
    [
      "verify-full, with another authority",
      { host: "localhost", tls: verified("verify-full", otherAuthority) },
      "refused",
    ],
    [
      "verify-full, with no authority",
      { host: "localhost", tls: { sslmode: "verify-full" } },
      "refused",
    ],
    [
      "a file that is not there",
      { tls: verified("verify-ca", "/nowhere/authority.pem") },
      "refused",
    ],
    ["a mode that is none", { tls: { sslmode: "no-verify" } }, "refused"],
    ["PGSSLMODE", { tls: {}, environment: { PGSSLMODE: "disable" } }, "plain"],
    [
      "PGSSLROOTCERT",
      { tls: { sslmode: "verify-ca" }, environment: { PGSSLROOTCERT: authority } },
      "encrypted",
    ],
    [
      "PGSSLMODE, but another in the address",
      { tls: { sslmode: "require" }, environment: { PGSSLMODE: "disable" } },
      "encrypted",
    ],
  ])("%s", async (_, asked, expected) => {
    expect(await lineOf(asked)).toBe(expected);
    expect(`psql: ${lineOfPsql(asked, expected)}`).toBe(`psql: ${expected}`);
  });

  test.each<[string, string, Record<string, string>, string]>([
    ["verify-full", "127.0.0.1,localhost", verified("verify-full"), "encrypted"],
    ["verify-full, by another name", "localhost,127.0.0.1", verified("verify-full"), "refused"],
    ["nothing asked", "localhost,127.0.0.1", {}, "encrypted"],
    ["disable", "localhost,127.0.0.1", { sslmode: "disable" }, "plain"],
  ])("of several hosts, the second of which is up: %s", async (_, host, tls, expected) => {
    const { port } = new URL(database.connectionString);
    const asked = { tls: { ...tls, host, port: `9,${port}` } };
    expect(await lineOf(asked)).toBe(expected);
    expect(`psql: ${lineOfPsql(asked, expected)}`).toBe(`psql: ${expected}`);
  });

  test("the authority in the usual place is used for verification", async () => {
    const folder = join(dataDir, "home/.postgresql");
    mkdirSync(folder);
    try {
      copyFileSync(authority, join(folder, "root.crt"));
      for (const sslmode of ["require", "verify-ca"])
        expect([sslmode, await lineOf({ tls: { sslmode } })]).toEqual([sslmode, "encrypted"]);
      copyFileSync(otherAuthority, join(folder, "root.crt"));
      for (const sslmode of ["require", "verify-ca"]) {
        expect([sslmode, await lineOf({ tls: { sslmode } })]).toEqual([sslmode, "refused"]);
        expect(lineOfPsql({ tls: { sslmode } }, "refused")).toBe("refused");
      }
      expect(await lineOf({ tls: { sslmode: "prefer" } })).toBe("encrypted");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("system means the machine's own authorities, only with verify-full", async () => {
    const tls = (sslmode: string) => ({ sslmode, sslrootcert: "system" });
    const trusting = { SSL_CERT_FILE: authority };
    const there = { host: "localhost", tls: tls("verify-full") };
    expect(await lineOf({ ...there, environment: trusting })).toBe("encrypted");
    expect(await lineOf({ ...there, environment: { SSL_CERT_FILE: otherAuthority } })).toBe(
      "refused",
    );
    await expect(
      resolveTls(addressOf({ tls: tls("require") }), "DATABASE_URL", trusting),
    ).rejects.toThrow("sslrootcert=system of DATABASE_URL needs sslmode=verify-full.");
  });
});

describe("a start is refused in a sentence", () => {
  const opening = (databaseUrl: string, databaseDirectUrl: string | null = null) =>
    openConfiguredDatabase(
      { databaseUrl, databaseDirectUrl, migrateDatabaseUrl: null, dataDir },
      () => undefined,
    );

  test.each<[string, Asked, RegExp]>([
    [
      "an unknown mode",
      { tls: { sslmode: "no-verify" } },
      /^sslmode of DATABASE_URL must be disable, .* or verify-full; it is "no-verify", which is called "require"\.$/,
    ],
    [
      "no authority",
      { tls: { sslmode: "verify-full" } },
      /^sslmode=verify-full of DATABASE_URL needs sslrootcert, the file /,
    ],
    [
      "no such file",
      { tls: verified("verify-ca", "/nowhere") },
      /^\/nowhere, which sslrootcert of DATABASE_URL names, cannot be read/,
    ],
    [
      "another authority",
      { tls: verified("verify-ca", otherAuthority) },
      /^The certificate of the database at DATABASE_URL is not accepted \(.+\)\. sslrootcert must name /,
    ],
    [
      "another name",
      { tls: verified("verify-full") },
      /^The certificate of the database at DATABASE_URL is not accepted \(Hostname.+\)/,
    ],
  ])("%s", async (_, asked, sentence) => {
    await expect(opening(addressOf(asked))).rejects.toThrow(sentence);
  });

  test("of several hosts, one whose certificate is for another", async () => {
    const { port } = new URL(database.connectionString);
    const hosts = { host: "127.0.0.1,127.0.0.1", port: `9,${port}` };
    await expect(
      opening(addressOf({ tls: { ...verified("verify-full"), ...hosts } })),
    ).rejects.toThrow(
      /^The certificate of the database at DATABASE_URL is not accepted \(.*Hostname/,
    );
  });

  test("a comma elsewhere is not a second host", async () => {
    const address = addressOf({
      tls: { sslmode: "disable", options: "-c search_path=public,pg_temp" },
    });
    expect(await resolveTls(address, "DATABASE_URL")).toContain("sslmode=disable");
  });
});

describe("with a database without TLS", () => {
  beforeAll(() => speakTls("off"));

  test.each<[string, Asked, string]>([
    ["nothing asked", { tls: {} }, "plain"],
    ["prefer", { tls: { sslmode: "prefer" } }, "plain"],
    ["allow", { tls: { sslmode: "allow" } }, "plain"],
    ["require", { tls: { sslmode: "require" } }, "refused"],
    ["verify-full", { host: "localhost", tls: verified("verify-full") }, "refused"],
  ])("%s", async (_, asked, expected) => {
    expect(await lineOf(asked)).toBe(expected);
    expect(`psql: ${lineOfPsql(asked, expected)}`).toBe(`psql: ${expected}`);
  });

  test("a start that needs it is refused in a sentence", async () => {
    const databaseUrl = addressOf({ tls: { sslmode: "require" } });
    const opening = openConfiguredDatabase(
      { databaseUrl, databaseDirectUrl: null, migrateDatabaseUrl: null, dataDir },
      () => undefined,
    );
    await expect(opening).rejects.toThrow(/^The database at DATABASE_URL does not support TLS\. /);
  });
});
