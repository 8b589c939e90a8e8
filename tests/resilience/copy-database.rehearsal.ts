import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openEmbeddedDatabase } from "#kit/db/embedded-postgres/embedded-database.ts";
import { copiedContentsOf as contentsOf, guardsOf } from "#tests/support/database-contents.ts";
import { projectFolder } from "#tests/support/launched.ts";
import { anOwnPostgres, installedPostgres, type OwnPostgres } from "#tests/support/own-postgres.ts";

/*
 * Leaving the embedded database as docs/operations.md says, command by command, with the machine's own
 * PostgreSQL, which may be older than the embedded one, and years of history.
 */

const bin = installedPostgres();
const secret = randomBytes(24).toString("base64url");

let parent: string;
let postgres: OwnPostgres;
let data: string;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), "rn-leaving-"));
  chmodSync(parent, 0o777);
  postgres = await anOwnPostgres(bin, parent);
  data = postgres.folder("data");
  postgres.run("initdb", `--pgdata=${data}`, "--username=operator", "--auth=trust", "--no-sync");
  postgres.start(data);
  const client = new Client({ connectionString: postgres.address("postgres") });
  await client.connect();
  await client.query("create role referral_network login");
  await client.query(
    "create database dues owner referral_network encoding 'UTF8' template template0",
  );
  await client.end();
});
afterAll(() => {
  if (existsSync(join(data, "postmaster.pid"))) postgres.stop(data);
  rmSync(parent, { recursive: true, force: true });
});

const folder = (name: string) => join(parent, name);

function cli(environment: Record<string, string>, ...args: string[]): string {
  const program = join(projectFolder, "src/main/cli.ts");
  return execFileSync(process.execPath, [program, ...args], {
    env: { PATH: process.env["PATH"], ...environment },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function embedded<Answer>(
  dataDir: string,
  work: (url: string) => Promise<Answer>,
): Promise<Answer> {
  const database = await openEmbeddedDatabase({ dataDir, log: () => undefined });
  try {
    return await work(database.connectionString);
  } finally {
    await database.stop();
  }
}

test("years of history move from the embedded database to an ordinary role's database, and back", async () => {
  const old = { DATA_DIR: folder("old") };
  cli(old, "create-network", "--name", "Lakeside", "--time-zone", "America/Chicago");
  cli(old, "seed", "--attorneys", "400", "--plans", "3", "--months", "24", "--seed", "7");
  const before = await embedded(old.DATA_DIR, contentsOf);

  const url = new URL(postgres.address("dues"));
  url.username = "referral_network";
  const server = { DATA_DIR: folder("new"), DATABASE_URL: url.href, APP_SECRET: secret };
  const moving = { ...server, ...old };
  expect(cli(moving, "copy-database", "--to", "DATABASE_URL", "--dry-run")).toMatch(/^Would copy/);
  const said = cli(moving, "copy-database", "--to", "DATABASE_URL", "--data-dir", server.DATA_DIR);
  expect(said).toContain("The ledger is correct: all");
  expect(await contentsOf(url.href)).toEqual(before);
  expect(cli(server, "migrate")).toBe("The database is up to date.\n");
  expect(cli(server, "verify-ledger")).toContain("The ledger is correct.");
  expect(cli(server, "billing")).not.toContain("failure");

  const after = await contentsOf(url.href);
  const back = { ...server, DATA_DIR: folder("back") };
  cli(back, "copy-database", "--from", "DATABASE_URL", "--whole");
  expect(await embedded(back.DATA_DIR, contentsOf)).toEqual(after);
  expect(await embedded(back.DATA_DIR, guardsOf)).toEqual(await embedded(old.DATA_DIR, guardsOf));
});
