import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import pg from "pg";
import { Temporal } from "temporal-polyfill";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { cents } from "#kit/domain/money.ts";
import { showSession } from "#kit/contract/session.ts";
import { makeSignInLink } from "#access/sign-in/sign-in-links.ts";
import { databaseCopyCommands } from "#main/database-copy/commands.ts";
import { copyFromUrl } from "#main/database-copy/copy-from-url.ts";
import { copyToUrl } from "#main/database-copy/copy-to-url.ts";
import { copyAndVerify } from "#main/database-copy/copying.ts";
import { outcomeOf } from "#main/database-copy/outcome.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { seed } from "#main/demo/seed.ts";
import { queueMail } from "#outgoing/mail/outbox.ts";
import { listPlans } from "#dues/plans/plans.list.ts";
import { sendPing } from "#outgoing/webhooks/endpoints.ts";
import { cardKeysOwner, latestSettings, encryptedKeys } from "#cards/settings/card-accounts.ts";
import { dashboardSettings } from "#cards/contract.ts";
import { countSecrets } from "#main/app-secret/secret-rotation.ts";
import type { StandaloneContext, Outcome } from "#kit/cli/command.ts";
import { UsageProblem } from "#kit/cli/command-arguments.ts";
import { commandLine } from "#kit/cli/program.ts";
import { copyDatabase } from "#kit/db/copy-database.ts";
import { refuseUnusableTarget } from "#kit/db/copy-target.ts";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { openEmbeddedDatabase } from "#kit/db/embedded-postgres/embedded-database.ts";
import { decrypt } from "#kit/ops/encryption.ts";
import { migrate } from "#kit/db/migrate.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { startWorker } from "#main/worker.ts";
import { copiedContentsOf as contentsOf, guardsOf } from "#tests/support/database-contents.ts";
import { downloaded, exportedFile } from "#tests/support/exports.ts";
import { projectFolder } from "#tests/support/launched.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { giveAuthenticatorApp } from "#tests/support/second-factors.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { anApp, anAppOn, type RunningApp } from "#tests/support/running-app.ts";
import { aBareDatabase, aTestDatabase, testDatabases } from "#tests/support/test-database.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { ApiProgram, aProgram } from "#tests/support/program.ts";
import { anEndpoint } from "#tests/support/webhook-receiver.ts";

/*
 * An installation on its own PostgreSQL is copied whole into an embedded database, and from there into other
 * databases: the data compared at the end has gone both ways.
 */

let folder: string;
let installation: RunningApp;
let network: MadeNetwork;
let attorney: MadeAttorney;
let admin: Visitor;
let program: ApiProgram;
let report: { url: string; bytes: Buffer };
/** Holds the installation as an embedded database: never written to. */
let embeddedDir: string;
let copied: Outcome;
/** The installation's data while nothing worked on it. */
let contents: Record<string, string>;
const made: { drop(): Promise<void> }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "rn-copy-"));
  installation = await anApp({ asOwner: true });
  const { db, secret } = installation;
  network = await makeNetwork(db, { name: "Lakeside", timeZone: "UTC" });
  attorney = await makeAttorney(db, network);
  await seed(db, network.admin, {
    attorneys: 6,
    plans: 2,
    months: 3,
    seed: 3,
    today: plainDate("2026-06-30"),
  });
  await givePassword(db, network.admin.userId);
  await giveAuthenticatorApp(installation, network.admin);
  await db
    .updateTable("networks")
    .set({ secondFactorRequiredSince: "2026-06-30T00:00:00Z" })
    .execute();
  await db
    .insertInto("cardProcessors")
    .values({
      networkId: network.id,
      processor: "stripe",
      live: true,
      brandmarks: ["visa"],
      publicKeys: JSON.stringify({ publishable_key: "pk_live_1" }),
      ...encryptedKeys({ secret }, network.id, "stripe", { secret_key: "sk_live_1" }),
    })
    .execute();
  await inTransaction(db, async (tx) => {
    const invited = { networkId: network.id, userId: network.admin.userId };
    const { url } = await makeSignInLink(tx, invited, "invitation", {
      publicUrl: "http://localhost",
      by: network.admin,
      from: null,
    });
    await queueMail(tx, {
      ...invited,
      occasion: "invited",
      recipient: "dana@example.test",
      subject: "Welcome",
      body: `Choose a password: ${url}`,
    });
  });
  const { id } = await anEndpoint(installation, network, { url: "https://example.org/hooks" });
  await sendPing(db, network.admin, id);
  program = await aProgram(installation, network);
  admin = await signedIn(installation, "admin", network);
  const { made: ordered, bytes } = await exportedFile(installation, admin, {
    report_type: "attorneys",
    columns: ["last_name", "email"],
  });
  report = { url: ordered.file?.url ?? "", bytes };
  contents = await contentsOf(installation.connectionString);
});
beforeAll(async () => {
  embeddedDir = join(folder, "embedded");
  copied = await fromInstallation(embeddedDir, { isWhole: true });
});
afterAll(async () => {
  await installation.close();
  await Promise.all(made.map((one) => one.drop()));
  rmSync(folder, { recursive: true, force: true });
});

/** The environment of commands in this process. */
async function run(
  environment: Record<string, string>,
  work: (context: StandaloneContext) => Promise<Outcome>,
): Promise<Outcome> {
  const closing: (() => Promise<void>)[] = [];
  try {
    return await work({
      environment,
      now: () => Temporal.Now.instant(),
      progress: () => undefined,
      log: () => undefined,
      closeAfter: (close) => void closing.push(close),
    });
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

const fromInstallation = (dataDir: string, more: Partial<Parameters<typeof copyFromUrl>[1]> = {}) =>
  run({ DATA_DIR: dataDir, ...(more.isWhole && { APP_SECRET: installation.secret }) }, (context) =>
    copyFromUrl(context, {
      url: installation.connectionString,
      isDryRun: false,
      isWhole: false,
      ...more,
    }),
  );

const toUrl = (
  url: string,
  more: Partial<Parameters<typeof copyToUrl>[1] & { environment: Record<string, string> }> = {},
) =>
  run({ DATA_DIR: embeddedDir, ...more.environment }, (context) =>
    copyToUrl(context, { url, isDryRun: false, ...more }),
  );

/** The installation's server, which runs on while it is read. */
const sourceUrl = () => installation.connectionString;

async function anEmptyDatabase(options?: string): Promise<string> {
  const database = await aBareDatabase(options);
  made.push(database);
  return database.connectionString;
}

/** As after a copy that failed. */
async function aMigratedDatabase(): Promise<string> {
  const database = await aTestDatabase();
  made.push(database);
  return database.ownerConnectionString;
}

async function administer(connectionString: string, ...statements: string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

function inDatabase(connectionString: string, name: string, user?: string): string {
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  if (user) [url.username, url.password] = [user, user];
  return url.href;
}

async function withDatabase<Answer>(
  url: string,
  work: (db: Db) => Promise<Answer>,
): Promise<Answer> {
  const db = openDatabase(openPool({ connectionString: url, connections: 3 }));
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** The address of the embedded database while no copy runs. */
async function withEmbeddedDatabase<Answer>(
  dataDir: string,
  work: (url: string) => Promise<Answer>,
): Promise<Answer> {
  const embedded = await openEmbeddedDatabase({ dataDir, log: () => undefined });
  try {
    return await work(embedded.connectionString);
  } finally {
    await embedded.stop();
  }
}

/** A command as operators run it: a process of its own. */
function cli(args: string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [join(projectFolder, "src/main/cli.ts"), ...args], {
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: join(folder, "compile-cache"),
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    child,
    ended: async () => {
      const [stdout, stderr] = await printed;
      return { code: await code, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
    },
  };
}

/** In this process, from the arguments on; its DATA_DIR does not exist. */
const asCommand = (args: string[]) =>
  run({ DATA_DIR: join(folder, "not-there") }, async (context) => {
    let outcome: Outcome | undefined;
    const program = commandLine(databaseCopyCommands, async (work) => {
      if (!("standalone" in work)) throw new Error("copy-database opens its databases itself");
      outcome = await work.standalone(context);
    });
    await program.parseAsync(["copy-database", ...args], { from: "user" });
    if (!outcome) throw new Error("copy-database did not run");
    return outcome;
  });

test("everything arrives both ways: every row, every sequence, every constraint and trigger", async () => {
  expect(copied.hasFailed).toBe(false);
  const url = await anEmptyDatabase();
  const { code, stdout } = await cli(["copy-database", "--to", "DATABASE_URL"], {
    DATA_DIR: embeddedDir,
    DATABASE_URL: url,
  }).ended();
  expect(code).toBe(0);
  expect(Object.keys(contents).length).toBeGreaterThan(50);
  expect(await contentsOf(url)).toEqual(contents);
  expect(await guardsOf(url)).toEqual(await guardsOf(installation.connectionString));

  expect(stdout).toMatch(/^Copied \d\d tables with [\d,]+ rows from the embedded database in /);
  expect(stdout).toMatch(/\n {2}entries +\d+\n/);
  expect(stdout).toMatch(/\nThe ledger is correct: all \d+ checks of verify-ledger passed\.\n/);
  expect(stdout).toContain(
    `Sessions and card payments (4 stored keys) need the same APP_SECRET: it is in ${embeddedDir}/app-secret.`,
  );
  expect(stdout).not.toContain(installation.secret);
  expect(stdout).not.toContain(new URL(url).password);
});

test("afterwards people are still signed in, reports and keys can be opened, and work goes on", async () => {
  const url = await anEmptyDatabase();
  await toUrl(url);
  const secret = readFileSync(join(embeddedDir, "app-secret"), "utf8").trim();
  const app = await anAppOn(url, { secret });
  const here = Object.assign(aVisitor(app), { cookies: admin.cookies, csrf: admin.csrf });
  expect((await here.call(showSession)).user?.name).toBe(network.admin.name);
  expect((await downloaded(app, here, report.url)).bytes.equals(report.bytes)).toBe(true);
  expect(await countSecrets(app.db, secret)).toEqual({ stored: 4, unreadable: 0 });

  const billed = await runBilling(app.db, network.admin, plainDate("2026-09-30"));
  expect(billed).toMatchObject({ failures: 0 });
  expect(billed.debits).toBeGreaterThan(0);
  await expect(app.pool.query("delete from entries")).rejects.toThrow("never changed");

  // The job queue was not copied. The first worker queues every job, so the mail is sent.
  const worker = await startWorker({
    ...app,
    now: app.server.now,
    log: () => undefined,
    publicUrl: "",
  });
  const mail = () => app.db.selectFrom("mails").select("status").executeTakeFirst();
  await expect.poll(mail, { timeout: 30_000 }).toEqual({ status: "sent" });
  await worker.stop();
  await app.close();
});

test("a dry run says what would be copied and writes nothing", async () => {
  const url = await anEmptyDatabase();
  const dry = () => toUrl(url, { isDryRun: true });
  const outcome = await withEmbeddedDatabase(embeddedDir, dry); // as while a server runs
  expect(outcome.text).toMatch(
    /^Would copy \d\d tables with [\d,]+ rows from the embedded database/,
  );
  expect(outcome.text).toContain("\n  attorneys");
  expect(await contentsOf(url)).toEqual({});

  const fresh = join(folder, "never-made");
  const other = await fromInstallation(fresh, { isDryRun: true });
  expect(other.text).toMatch(/^Would copy \d\d tables/);
  expect(existsSync(fresh)).toBe(false);
});

test("a copy of a damaged ledger is reported", async () => {
  const [source, target] = [await aMigratedDatabase(), await aMigratedDatabase()];
  await withDatabase(source, async (db) => {
    const damaged = await makeNetwork(db);
    await makeDebit(db, damaged, await makeAttorney(db, damaged), { amountCents: cents(5000) });
  });
  await administer(
    source,
    "alter table debits disable trigger user; update debits set balance_cents = 1",
  );
  const context = { progress: () => undefined };
  const copy = await copyAndVerify(context, { source, target, secret: null });
  const { hasFailed, text: said } = outcomeOf({ from: "here", into: "there", ...copy }, ["Go on."]);
  expect(hasFailed).toBe(true);
  expect(said).toMatch(/\nBROKEN {2}A debit's balance equals the sum of its entries.*: 1 times\./);
  expect(said).toContain("the copy is damaged. Do not use it.");
  expect(said).not.toContain("Go on.");
});

test("a database that is not empty, or that belongs to another program, is refused and stays unchanged", async () => {
  const taken = await aMigratedDatabase();
  await withDatabase(taken, (db) => makeNetwork(db));
  const before = await contentsOf(taken);
  await expect(toUrl(taken)).rejects.toThrow(
    "the target database already has networks. Create a new one to copy into",
  );
  expect(await contentsOf(taken)).toEqual(before);

  const fit = (target: string) =>
    refuseUnusableTarget(target, { named: "--to", source: sourceUrl() });
  const strange = await anEmptyDatabase();
  await administer(strange, "create table recipes (id bigint)");
  await expect(fit(strange)).rejects.toThrow("has other tables (recipes)");
  const latin = await anEmptyDatabase(
    "encoding LATIN1 locale 'C' locale_provider libc template template0",
  );
  await expect(fit(latin)).rejects.toThrow("has encoding LATIN1");
});

test("a wrong password is refused, and so is a role that does not own the database", async () => {
  const url = await anEmptyDatabase();
  const { role, address } = await aLimitedRole(url);
  const name = new URL(url).pathname.slice(1);
  const named = "--to";
  await expect(refuseUnusableTarget(address, { named, source: sourceUrl() })).rejects.toThrow(
    `the role ${role} may not create tables in the database ${name}. Make it the owner (alter database ${name} owner to ${role}).`,
  );
  const wrong = new URL(url);
  wrong.password = "wrong";
  await expect(toUrl(wrong.href)).rejects.toThrow(
    /^The database at --to cannot be reached \(password authentication failed/,
  );
});

/** A role that may only connect; `address` is the database's for it. */
async function aLimitedRole(url: string, ...grants: string[]) {
  const superuser = inDatabase((await testDatabases()).connectionString, "postgres");
  const asSuperuser = superuser.replace("//referral_network:", "//postgres:");
  const role = `guest_${randomBytes(4).toString("hex")}`;
  const granted = grants.map((right) => `grant ${right} to ${role}`);
  await administer(asSuperuser, `create role ${role} login password '${role}'`, ...granted);
  made.push({ drop: async () => void (await administer(asSuperuser, `drop role ${role}`)) });
  return { role, address: inDatabase(url, new URL(url).pathname.slice(1), role) };
}

test("a read-only role is enough to copy from, and a role without that right gets a message", async () => {
  const reader = await aLimitedRole(sourceUrl(), "pg_read_all_data");
  const target = await aMigratedDatabase();
  await copyDatabase({ source: reader.address, target });
  expect(await contentsOf(target)).toEqual(contents);
  const guest = await aLimitedRole(sourceUrl());
  const asked = asCommand(["--from", guest.address, "--dry-run"]);
  await expect(asked).rejects.toThrow(
    /^Nothing was copied: permission denied for table migrations\. /,
  );
});

test("a copy from another version of PostgreSQL, which prints constraints differently, is up to date", async () => {
  const source = await aMigratedDatabase();
  await administer(source, "update rules set server_version = 14, definition_checksum = 'other'");
  const target = await aTestDatabase();
  made.push(target);
  await copyDatabase({ source, target: target.ownerConnectionString });
  expect(await migrate(target.connectionString)).toEqual([]); // as the read-only role
});

test("a database is copied neither onto itself nor onto one that servers use", async () => {
  const url = installation.connectionString;
  const named = "--to";
  await expect(refuseUnusableTarget(url, { named, source: url })).rejects.toThrow(
    "--to is the address of the database that is to be copied.",
  );
  const source = await anEmptyDatabase();
  await expect(refuseUnusableTarget(url, { named, source })).rejects.toThrow(
    "servers are running on the database at --to. Stop all of them",
  );
});

test("an embedded database in use by a server is not copied, and no server starts on it during a copy", async () => {
  const url = await anEmptyDatabase();
  await withEmbeddedDatabase(embeddedDir, async () => {
    await expect(toUrl(url)).rejects.toThrow(
      `The database in ${embeddedDir} is in use. Stop the server first`,
    );
  });
  const copying = await openEmbeddedDatabase({
    dataDir: embeddedDir,
    log: () => undefined,
    exclusive: true,
  });
  const starting = openEmbeddedDatabase({ dataDir: embeddedDir, log: () => undefined });
  await expect(starting).rejects.toThrow(`The database in ${embeddedDir} is being copied`);
  await copying.stop();
});

test("without an embedded database, or with an empty one, the copy is refused", async () => {
  const url = await anEmptyDatabase();
  const nowhere = join(folder, "nowhere");
  await expect(toUrl(url, { environment: { DATA_DIR: nowhere } })).rejects.toThrow(
    `There is no embedded database in ${nowhere}. Set DATA_DIR`,
  );
  expect(existsSync(nowhere)).toBe(false);
});

test("an APP_SECRET other than the installation's is refused", async () => {
  const environment = { APP_SECRET: "a secret of thirty-two characters" };
  await expect(toUrl(await anEmptyDatabase(), { environment })).rejects.toThrow(
    `APP_SECRET differs from the secret in ${embeddedDir}/app-secret`,
  );
});

test("a copy that fails is rolled back whole", async () => {
  const url = await aMigratedDatabase();
  const [guards, before] = [await guardsOf(url), await contentsOf(url)];
  await administer(url, "alter table users add constraint nobody check (id < 0)");
  await expect(toUrl(url)).rejects.toThrow(
    /^The copy failed and was undone: .*violates check constraint "nobody"\.$/,
  );
  await administer(url, "alter table users drop constraint nobody");
  expect([await guardsOf(url), await contentsOf(url)]).toEqual([guards, before]);
});

test("a killed copy leaves nothing behind and can be made again", async () => {
  const url = await aMigratedDatabase();
  const before = await contentsOf(url);
  // The copy waits at users, almost the last table, until this lock is released.
  const gate = new pg.Client({ connectionString: url });
  await gate.connect();
  await gate.query(`
    create function wait_for_test() returns boolean language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(4711); return true; end $$;
    alter table users add constraint waits check (wait_for_test());
    select pg_advisory_lock(4711)`);
  const { child, ended } = cli(["copy-database", "--to", url], { DATA_DIR: embeddedDir });
  const isHalfway = async () =>
    (
      await gate.query(`select from pg_locks
        where locktype = 'advisory' and not granted and objid = 4711
          and database = (select oid from pg_database where datname = current_database())`)
    ).rowCount;
  await expect.poll(isHalfway, { timeout: 60_000 }).toBe(1);
  child.kill("SIGKILL");
  await ended();
  await gate.query("select pg_advisory_unlock(4711)");
  await gate.query("alter table users drop constraint waits"); // waits for the rollback of the killed copy
  await gate.query("drop function wait_for_test()");
  await gate.end();
  expect(await contentsOf(url)).toEqual(before);
  expect((await toUrl(url)).hasFailed).toBe(false);
  expect(await contentsOf(url)).toEqual(contents);
});

test("a rehearsal copy has the ledger, but no keys, sessions, tokens, second factors, links, waiting email and webhooks", async () => {
  const dataDir = join(folder, "rehearsal");
  // The installation's server is running the whole time.
  const outcome = await fromInstallation(dataDir);
  expect(outcome.text).toContain("This is a rehearsal copy");
  const secret = readFileSync(join(dataDir, "app-secret"), "utf8").trim();
  expect(secret).not.toBe(installation.secret);
  await withEmbeddedDatabase(dataDir, async (url) => {
    const here = await contentsOf(url);
    const differing = Object.keys(contents).filter((name) => here[name] !== contents[name]);
    const webhooks = ["webhook_deliveries", "webhook_endpoints", "webhook_messages"];
    expect(differing).toEqual([
      "api_tokens",
      "card_processors",
      "mails",
      "networks",
      "sessions",
      "sign_in_links",
      "two_factors",
      "users",
      ...webhooks,
    ]);
    expect(webhooks.map((name) => here[name])).toEqual(webhooks.map(() => "0 "));
    const app = await anAppOn(url, { secret });
    const guest = Object.assign(aVisitor(app), { cookies: admin.cookies, csrf: admin.csrf });
    expect((await guest.call(showSession)).user).toBeNull();
    expect((await new ApiProgram(app, program.token).ask(listPlans)).status).toBe(401);
    expect(await countSecrets(app.db, installation.secret)).toEqual({ stored: 1, unreadable: 1 });
    const row = await latestSettings(app.db, network.id);
    const owner = cardKeysOwner(network.id, "stripe");
    expect(decrypt(row?.encryptedSecrets ?? "", owner, secret)).toBe("{}");
    const { rows: mails } = await app.pool.query("select status, body from mails");
    expect(mails).toEqual([
      { status: "withdrawn", body: "Choose a password: http://localhost/sign-in/link#…" },
    ]);
    const debtor = await signedIn(app, attorney, network);
    expect(await debtor.call(dashboardSettings)).toMatchObject({ paymentProcessor: null });
    const anew = aVisitor(app);
    const signingIn = { email: network.admin.email, password: testPassword };
    await anew.send("POST", "/api/auth/sign-in/email", signingIn);
    const { user } = await anew.call(showSession);
    expect(user).toMatchObject({ name: network.admin.name, lacksSecondFactor: false });
    await app.close();
  });
});

test("a whole copy needs the target's secret, and stores it", async () => {
  const environment = { DATA_DIR: join(folder, "no-secret") };
  const wanted = { url: installation.connectionString, isDryRun: false };
  await expect(
    run(environment, (context) => copyFromUrl(context, { ...wanted, isWhole: true })),
  ).rejects.toThrow("--whole needs the APP_SECRET of the installation");
  expect(readFileSync(join(embeddedDir, "app-secret"), "utf8").trim()).toBe(installation.secret);
  expect(copied.text).toContain("THIS COPY CHARGES CARDS");
});

test("a data folder whose database has networks is not filled again", async () => {
  await expect(fromInstallation(embeddedDir)).rejects.toThrow("already has networks");
});

test("only a database of exactly this version is accepted", async () => {
  const dataDir = join(folder, "fresh");
  const strange = await anEmptyDatabase();
  await expect(fromInstallation(dataDir, { url: strange })).rejects.toThrow(
    "The database at --from is not a Referral Network database.",
  );
  const url = await aMigratedDatabase();
  await administer(url, "insert into migrations (name) values ('9999_tomorrow.sql')");
  await expect(fromInstallation(dataDir, { url })).rejects.toThrow(
    "belongs to a newer version of Referral Network (it has 9999_tomorrow.sql)",
  );
  await administer(
    url,
    "delete from migrations where name in ('9999_tomorrow.sql', '0010_mails.sql')",
  );
  await expect(fromInstallation(dataDir, { url })).rejects.toThrow(
    "was not migrated to this version of Referral Network (it lacks 0010_mails.sql)",
  );
  await administer(
    url,
    "insert into migrations (name, checksum) values ('0010_mails.sql', 'another')",
  );
  await expect(fromInstallation(dataDir, { url })).rejects.toThrow("0010_mails.sql was edited");
  expect(existsSync(dataDir)).toBe(false);
});

test("a table or column that only one of the two has is named in the refusal", async () => {
  const target = await aMigratedDatabase();
  const copying = () => copyDatabase({ source: sourceUrl(), target });
  await administer(target, "alter table attorneys add column nickname text");
  await expect(copying()).rejects.toThrow(/the source database has attorneys \(.*\), but the/);
  await administer(
    target,
    "alter table attorneys drop column nickname; create table notes (id int)",
  );
  await expect(copying()).rejects.toThrow("the source database lacks notes (id integer)");
  expect(await administer(target, "select from networks")).toEqual([]);
});

test.each([
  [[], "copy-database needs either --to URL or --from URL."],
  [["--to", "localhost"], /^--to must begin with postgres:\/\//],
  [["--to", "DATABASE_URL"], /^DATABASE_URL must be set to an address/],
  [["--to", "postgres://a/b", "--whole"], /^--whole is only for --from/],
])("%j is not understood", async (args, sentence) => {
  const asked = asCommand(args);
  await expect(asked).rejects.toThrow(sentence);
  await expect(asked).rejects.toBeInstanceOf(UsageProblem);
});
