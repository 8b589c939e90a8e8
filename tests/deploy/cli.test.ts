import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { sql } from "kysely";
import type pg from "pg";
import { PgBoss } from "pg-boss";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { runCommandLine } from "#main/command-line.ts";
import { findPostgres } from "#kit/db/embedded-postgres/process.ts";
import { projectFolder } from "#tests/support/launched.ts";
import { waitingForLocks } from "#tests/support/lock-waits.ts";
import { giveAuthenticatorApp } from "#tests/support/second-factors.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeAdmin, makeNetwork } from "#tests/support/records/networks.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolment } from "#tests/support/records/dues.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";
import { aSession } from "#tests/support/visitor.ts";

/*
 * Commands as operators run them. Here they are processes of their own only where that matters; the others
 * run within this process.
 */

let database: TestDatabase;
let pool: pg.Pool;
let db: Db;
let network: MadeNetwork;
let folder: string;

beforeAll(async () => {
  database = await aTestDatabase();
  pool = openPool({ connectionString: database.ownerConnectionString });
  db = openDatabase(pool);
  network = await makeNetwork(db, { name: "Harbor" });
  folder = await mkdtemp(join(tmpdir(), "cli-"));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

type Environment = Record<string, string | undefined>;

function start(args: string[], environment: Environment) {
  const child = spawn(process.execPath, [join(projectFolder, "src/main/cli.ts"), ...args], {
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: join(projectFolder, "node_modules/.cache/compiled"), // halves their start
      ...environment,
    },
  });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, ended: () => Promise.all([code, printed]) };
}

interface RunOptions {
  input?: string;
  environment?: Environment;
}

/** Run a command, on the test's database unless told otherwise. */
async function cli(args: string[], { input = "", environment = onDatabase() }: RunOptions = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const terminal = { env: environment, stdin: Readable.from([input]), stdout, stderr };
  const code = await runCommandLine(args, terminal);
  stdout.end();
  stderr.end();
  return ended(code, await printed);
}

/** The same as a process of its own. */
async function cliProcess(
  args: string[],
  { input = "", environment = onDatabase() }: RunOptions = {},
) {
  const process = start(args, environment);
  process.child.stdin.end(input);
  return ended(...(await process.ended()));
}

const onDatabase = () => ({
  DATABASE_URL: database.connectionString,
  APP_SECRET: "a secret of thirty-two characters",
});

/** A command's output without its progress lines, which a slow machine prints for what takes a second. */
const ended = (code: number | null, [stdout, stderr]: [string, string]) => ({
  code,
  stdout: stdout.trimEnd(),
  stderr: stderr.replaceAll(/^.* \(\d+ s\)\n/gm, "").trimEnd(),
});

const asJson = ({ stdout }: { stdout: string }): unknown => JSON.parse(stdout);

test("--help names every command; running without a command is an error", async () => {
  const { code, stdout, stderr } = await cliProcess(["--help"]);
  expect([code, stderr]).toEqual([0, ""]);
  const commands = [
    "billing",
    "verify-ledger",
    "import-attorneys",
    "import-matters",
    "suspension",
    "create-network",
    "create-admin",
    "remove-second-factor",
    "end-sessions",
    "jobs",
    "retry-job",
    "clear-job",
    "migrate",
    "skip-ids",
    "copy-database",
    "copy-network",
    "remove-network",
    "seed",
  ];
  for (const name of commands) expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
  expect(await cliProcess([])).toEqual({ code: 2, stdout: "", stderr: stdout });
});

test("--help explains one command without touching a database", async () => {
  const { code, stdout, stderr } = await cliProcess(["billing", "--help"], { environment: {} });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^Usage: npm run cli -- billing \[options\]\n\nBill everything due /);
  expect(stdout).toContain("The date may be in the past or the future.");
  for (const option of ["--as-of <DATE>", "--dry-run", "--network <ID>", "--json"])
    expect(stdout).toMatch(new RegExp(`^  ${option} {2,}[A-Z]`, "m"));
});

test.each([
  [["fly"], 2, 'There is no command "fly". See npm run cli -- --help'],
  [["--nope"], 2, "There is no option --nope. See npm run cli -- --help"],
  [
    ["billing", "--asof", "2026-01-31"],
    2,
    "billing has no option --asof. See npm run cli -- billing --help",
  ],
  [
    ["billing", "--as-of", "tomorrow"],
    2,
    "--as-of must be a date written YYYY-MM-DD, from 1900-01-01 to 2199-12-31.",
  ],
  [
    ["billing", "--network", "Nowhere"],
    1,
    'There is no network "Nowhere". Known networks: 1 Harbor.',
  ],
  [["import-attorneys", "none.csv"], 1, "none.csv cannot be read: there is no such file."],
])("%j fails with one sentence", async (args, code, stderr) => {
  expect(await cli(args)).toEqual({ code, stdout: "", stderr });
});

test("an error is one JSON document too, if JSON was asked for", async () => {
  const { code, stdout, stderr } = await cli(["import-attorneys", "none.csv", "--json"]);
  expect([code, JSON.parse(stdout)]).toEqual([1, { error: stderr }]);
});

test("a wrong environment fails with one sentence", async () => {
  const environment = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", APP_SECRET: "short" };
  const { code, stderr } = await cli(["migrate"], { environment });
  expect([code, stderr]).toEqual([1, "APP_SECRET must have at least 32 characters."]);
});

test("a network and its administrator are added, with a link or with a password", async () => {
  const made = await cli([
    "create-network",
    "--name",
    "Lakeside",
    "--time-zone",
    "America/Los_Angeles",
    "--json",
  ]);
  expect(asJson(made)).toMatchObject({
    network: { name: "Lakeside", timeZone: "America/Los_Angeles" },
  });
  const linked = await cli([
    "create-admin",
    "--network",
    "lakeside",
    "--email",
    "Ada@x.test",
    "--name",
    "Ada",
  ]);
  expect(linked.stdout).toMatch(
    /Ada \(ada@x\.test\) is now an administrator of Lakeside\.\n.*\/sign-in\/link#/,
  );
  const options = ["--network", "Lakeside", "--name", "Eve", "--email", "eve@x.test"];
  const short = await cli(["create-admin", ...options, "--password-stdin"], { input: "short\n" });
  expect([short.code, short.stderr]).toEqual([1, "Password must have at least 12 characters."]);
  const accepted = await cli(["create-admin", ...options, "--password-stdin", "--json"], {
    input: "long enough to keep\n",
  });
  expect(asJson(accepted)).toMatchObject({ user: { email: "eve@x.test" }, link: null });
  const taken = await cli(["create-admin", ...options]);
  expect([taken.code, taken.stderr]).toEqual([
    1,
    "This email address already belongs to an account.",
  ]);
  const zone = await cli(["create-network", "--name", "Moon", "--time-zone", "+05:00"]);
  expect(zone.stderr).toContain("Time zone must be an IANA name such as America/New_York");
});

test("a lost second factor is removed, recorded and emailed", async () => {
  const { userId, email, networkId } = network.admin;
  await giveAuthenticatorApp({ db, secret: "of the servers" }, network.admin);
  const removed = await cli(["remove-second-factor", ` ${email.toUpperCase()}`]);
  expect([removed.code, removed.stdout]).toEqual([
    0,
    `Ada Min (${email}) now signs in with only a password. They get an email.`,
  ]);
  const entry = await db
    .selectFrom("auditEntries")
    .select(["actorName", "networkId"])
    .where("action", "=", "removed second factor")
    .where("recordId", "=", userId)
    .executeTakeFirstOrThrow();
  expect(entry).toEqual({ actorName: "Operator (command line)", networkId });
  const mail = await db.selectFrom("mails").select("body").where("recipient", "=", email).execute();
  expect(mail[0]?.body).toContain("Your system administrator has removed the second factor");
  for (const [given, problem] of [
    [email, "Ada Min has no second factor."],
    ["nobody@x.test", "No account has the email address nobody@x.test."],
    ["nobody", "Email must be an email address, such as name@example.org."],
  ] as const) {
    const refused = await cli(["remove-second-factor", given]);
    expect([refused.code, refused.stderr]).toEqual([1, problem]);
  }
});

test("removing a second factor soon after a change of password is allowed, with a warning", async () => {
  const { userId, email } = network.admin;
  await sql`update users set two_factor_enabled = true, password_changed_at = now() - interval '6 days'
    where id = ${userId}`.execute(db);
  const removed = await cli(["remove-second-factor", email]);
  expect([removed.code, removed.stdout]).toEqual([
    0,
    `Ada Min (${email}) now signs in with only a password. They get an email. Their password was changed less than seven days ago. Make sure that the request came from them.`,
  ]);
});

test("one person is signed out everywhere and nobody else; it is recorded", async () => {
  const { userId, email, networkId } = network.admin;
  const colleague = await makeAdmin(db, network);
  for (const id of [userId, userId, colleague]) await aSession({ db, secret: "any" }, id);
  const ended = await cli(["end-sessions", ` ${email.toUpperCase()}`]);
  expect([ended.code, ended.stdout]).toEqual([
    0,
    `Ada Min (${email}) is signed out everywhere: 2 sessions ended.`,
  ]);
  const left = await db
    .selectFrom("sessions")
    .select("userId")
    .where("userId", "in", [userId, colleague])
    .execute();
  expect(left).toEqual([{ userId: colleague }]);
  const entry = await db
    .selectFrom("auditEntries")
    .select(["actorName", "recordType", "networkId"])
    .where("action", "=", "ended all sessions")
    .where("recordId", "=", userId)
    .executeTakeFirstOrThrow();
  expect(entry).toEqual({
    actorName: "Operator (command line)",
    recordType: "sign-in",
    networkId,
  });
  const unknown = await cli(["end-sessions", "nobody@x.test"]);
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    "No account has the email address nobody@x.test.",
  ]);
});

test("a dry run says what the run will bill, and writes nothing", async () => {
  const attorney = await makeAttorney(db, network);
  const plan = await makePlan(db, network, { amountCents: 123_45 });
  for (const startDate of ["2026-01-31", "2026-02-28"])
    await makeEnrolment(db, attorney, plan, { startDate });
  const args = ["billing", "--as-of", "2026-04-30", "--network", "Harbor", "--json"];
  const rehearsed = asJson(await cli([...args, "--dry-run"]));
  const expected = {
    network: { id: network.id, name: "Harbor" },
    asOf: "2026-04-30",
    debits: 7,
    amount: "864.15",
    failures: 0,
    failureReason: null,
  };
  expect(rehearsed).toMatchObject({ dryRun: true, runs: [expected] });
  expect(await db.selectFrom("billingRuns").selectAll().execute()).toEqual([]);
  expect(await db.selectFrom("debits").selectAll().execute()).toEqual([]);
  expect(asJson(await cli(args))).toMatchObject({ dryRun: false, runs: [expected] });
  expect(asJson(await cli(args))).toMatchObject({ runs: [{ debits: 0, amount: "0.00" }] });
});

test("billing without a network bills them all, each by its own date", async () => {
  const { code, stdout } = await cli(["billing"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^Harbor, as of \d\d\/\d\d\/\d{4}: billed \d+ debits of \$[\d,.]+ in [\d.]+ s\.$/m,
  );
  expect(stdout).toMatch(/^Lakeside, as of \d\d\/\d\d\/\d{4}: billed 0 debits of \$0\.00/m);
});

test("when one network cannot be billed, billing goes on with the others and exits with 1", async () => {
  await pool.query(`create function refuse_billing() returns trigger language plpgsql as $$
    begin raise exception 'Not today.'; end $$`);
  const { id } = await db
    .selectFrom("networks")
    .select("id")
    .where("name", "=", "Harbor")
    .executeTakeFirstOrThrow();
  await pool.query(`create trigger refuse_billing before insert on billing_runs for each row
    when (new.network_id = ${id}) execute function refuse_billing()`);
  const { code, stdout } = await cli(["billing"]);
  await pool.query("drop function refuse_billing cascade");
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Harbor, .*: billed 0 debits .*; 1 failure: Not today\.\.$/m);
  expect(stdout).toMatch(/^Lakeside, .*: billed 0 debits of \$0\.00 in [\d.]+ s\.$/m);
});

test("a run with a failure exits with 1 and says what failed", async () => {
  const refused =
    "alter table debits add constraint none_more check (due_on < '2030-01-01') not valid";
  await pool.query(refused);
  const { code, stdout } = await cli(["billing", "--as-of", "2030-01-31", "--network", "Harbor"]);
  await pool.query("alter table debits drop constraint none_more");
  expect(code).toBe(1);
  expect(stdout).toMatch(/; 1 failure: .*none_more/);
});

test("a panel is imported; bad rows exit with 1 and are listed by line", async () => {
  const path = join(folder, "panel.csv");
  await writeFile(
    path,
    "First Name,Last Name,Email\r\nZoë,O'Brien,zoe@x.test\r\n,Nobody,no@x.test\r\n",
  );
  const refused = await cli(["import-attorneys", path]);
  expect(refused).toEqual({
    code: 1,
    stderr: "",
    stdout:
      "Line 3: First Name must be given.\n" +
      "Nothing was imported: 1 of 2 rows are bad. Correct them, or import the others with --skip-bad.",
  });
  const taken = await cli(["import-attorneys", path, "--skip-bad", "--json"]);
  expect(taken.code).toBe(0);
  expect(asJson(taken)).toMatchObject({
    imported: true,
    network: { name: "Harbor" },
    inserted: 1,
    skipped: 1,
    problems: [{ line: 3, message: "First Name must be given." }],
  });
});

test("a file is read as the network chose in the browser, and everything read otherwise is reported", async () => {
  const columns = [
    { heading: "attorney", holds: "name_last_first" },
    { heading: "hotline", holds: "phone" },
  ];
  await db
    .insertInto("importColumns")
    .values(columns.map((one) => ({ networkId: network.id, recordType: "attorney", ...one })))
    .execute();
  const path = join(folder, "columns.csv");
  const lines = [
    "sep=;",
    "Attorney;Email;Hotline;Colour;",
    "Okafor, Maya;maya@x.test;2125550147;blue;x",
    'Roe, "Bob";bob@x.test;;;',
    '"Open;open@x.test;;;',
    "Lost, One;one@x.test;;;",
  ];
  await writeFile(path, lines.join("\n"));
  const { code, stdout } = await cli(["import-attorneys", path, "--skip-bad"]);
  expect(code).toBe(0);
  expect(stdout.split("\n")).toEqual([
    'Column "Colour" is not one of an attorney\'s columns and was left out.',
    "Column E has no heading and was left out.",
    "The first line names the separator, so values are separated by semicolons.",
    "“Okafor, Maya” is read as first name “Maya”, last name “Okafor”.",
    'Line 4: A value contains a quotation mark. Write it twice: "".',
    "Line 5: The quotation marks do not match, so this row and the 1 after it cannot be read.",
    expect.stringMatching(/^Harbor: 1 added, 0 updated, 0 unchanged, 3 skipped/),
  ]);
  const maya = db.selectFrom("attorneys").select(["firstName", "lastName", "phone"]);
  expect(await maya.where("email", "=", "maya@x.test").execute()).toEqual([
    { firstName: "Maya", lastName: "Okafor", phone: "(212) 555-0147" },
  ]);
});

test("seed fills the named network, and verify-ledger finds no fault", async () => {
  const args = ["seed", "--attorneys", "20", "--plans", "2", "--months", "3", "--seed", "5"];
  const { code, stdout } = await cli([...args, "--network", "Lakeside"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^Lakeside: made 20 attorneys, 2 plans, \d+ enrolments, \d+ debits, \d+ checks, \d+ adjustments, in/,
  );
  const verified = await cli(["verify-ledger"]);
  expect(verified.code).toBe(0);
  expect(verified.stdout).toMatch(/The ledger is correct\.$/);
});

test("verify-ledger exits with 1 and names what is damaged", async () => {
  await pool.query(`begin; alter table debits disable trigger user;
    update debits set balance_cents = balance_cents + 1 where id = (select min(id) from debits);
    alter table debits enable trigger user; commit`);
  const { code, stdout } = await cli(["verify-ledger"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^BROKEN {2}A debit's balance equals the sum of its entries, .*: 1 times\.\n {8}network 1, debit \d+ of .*: balance/m,
  );
  const report = await cli(["verify-ledger", "--json"]);
  expect(asJson(report)).toMatchObject({ ok: false });
  expect(await ledgerOffences(db, network.id)).toHaveLength(1);
  const elsewhere = await cli(["verify-ledger", "--network", "Lakeside"]);
  expect(elsewhere.code).toBe(0);
});

test("a database from a newer version is refused", async () => {
  await pool.query("insert into migrations (name) values ('9999_tomorrow.sql')");
  const { code, stderr } = await cli(["migrate"]);
  await pool.query("delete from migrations where name like '9999%'");
  expect(code).toBe(1);
  expect(stderr).toContain(
    "belongs to a newer version of Referral Network (it has 9999_tomorrow.sql)",
  );
});

describe("export", () => {
  test("writes a report to standard output, and nothing else", async () => {
    const owner = await makeNetwork(db, { name: "Exporters" });
    const attorney = await makeAttorney(db, owner, { firstName: "Zoë", lastName: "=1+1" });
    const done = await cliProcess([
      "export",
      "attorneys",
      "--network",
      "Exporters",
      "--columns",
      "last_name,first_name,email",
    ]);
    expect(done).toEqual({
      code: 0,
      stderr: "",
      stdout: `First name,Last name,Email\r\nZoë,'=1+1,${attorney.email}`,
    });
  });

  test("writes a file, whole or not at all", async () => {
    const out = join(folder, "debits.csv");
    const days = ["--from", "2026-01-01", "--to", "2026-12-31", "--mode", "due_on"];
    const done = await cli([
      "export",
      "subscription_debits",
      ...days,
      "--out",
      out,
      "--network",
      "Exporters",
      "--json",
    ]);
    expect([done.code, done.stderr]).toEqual([0, ""]);
    expect(asJson(done)).toMatchObject({ type: "subscription_debits", file: out, rows: 0 });
    expect((await readFile(out, "utf8")).startsWith("\uFEFFDebit ID,Attorney ID,")).toBe(true);
    await writeFile(join(folder, "file"), "");
    const failed = await cli(["export", "attorneys", "--out", join(folder, "file", "x.csv")]);
    expect([failed.code, failed.stdout]).toEqual([1, ""]);
    expect(failed.stderr).toMatch(/x\.csv was not written\. [A-Z].*\.$/);
  });

  test.each([
    [["secrets"], /^There is no report "secrets"\. Choose one of: matters, /],
    [["subscription_payments"], /^Subscription payments need a specific date range\.$/],
    [["attorneys", "--columns", "password"], /^The report Attorneys has no column "password"\.$/],
    [["subscription_debits", "--attorney", "999999"], /^There is no such attorney\.$/],
    [
      ["subscription_debits", "--from", "2026-02-01", "--to", "2026-01-01"],
      /^Start date must not be after end date\.$/,
    ],
  ])("refuses %j in a sentence", async (args, sentence) => {
    const done = await cli(["export", ...args]);
    expect([done.code, done.stdout]).toEqual([1, ""]);
    expect(done.stderr).toMatch(sentence);
  });
});

describe("on a data folder", () => {
  const dataDir = () => join(folder, "data");
  const environment = () => ({ DATA_DIR: dataDir() });
  const running = () => findPostgres(join(dataDir(), "postgres"));

  test("a command starts the database if it is not running, and stops it", async () => {
    const { stdout } = await cliProcess(["billing"], { environment: environment() });
    expect(stdout).toBe("There is no network to bill.");
    expect(await running()).toBeNull();
  });

  test("the secret is replaced with another from standard input and saved", async () => {
    const rotate = (input: string) => cli(["rotate-secret"], { input, environment: environment() });
    const kept = () => readFile(join(dataDir(), "app-secret"), "utf8");
    const short = await rotate("too short\n");
    expect([short.code, short.stderr]).toEqual([
      1,
      "The new secret on standard input must have at least 32 characters.",
    ]);
    const old = await kept();
    const secret = "another secret of thirty-two characters";
    const rotated = await cliProcess(["rotate-secret"], {
      input: `${secret}\n`,
      environment: environment(),
    });
    expect(rotated).toEqual({
      code: 0,
      stderr: "",
      stdout:
        "Encrypted 0 stored secrets with the new secret.\nEnded 0 sessions: everybody must sign in again.\n" +
        "The new secret is saved in the data folder. Start the servers now.",
    });
    expect([old.trim() === secret, await kept()]).toEqual([false, `${secret}\n`]);
    const again = await rotate(secret);
    expect([again.code, again.stderr]).toEqual([1, "The new secret must differ from the old one."]);
  });
});

describe("jobs", () => {
  test("there are none before a worker has run", async () => {
    expect(await cli(["jobs"])).toMatchObject({
      code: 0,
      stdout: "No jobs are waiting, running or failed.",
    });
    expect(await cli(["clear-job", "7"])).toMatchObject({
      code: 1,
      stderr: "There is no job 7. See npm run cli -- jobs.",
    });
    expect((await cli(["retry-job", "all"])).code).toBe(2);
  });

  test("are listed with their problem, retried and removed", async () => {
    const failed = await aJob(
      "send-mail",
      `state = 'retry', retry_count = 24, started_on = now(), start_after = '2126-01-01T12:00:00Z', output = '{"message": "No way."}'`,
    );
    const isTriedAgain = "state = 'failed', started_on = now()"; // the next attempt of the one above
    await aJob("send-mail", isTriedAgain);
    const running = await aJob("carry-out-refunds", "state = 'active', started_on = now()");
    const { stdout } = await cli(["jobs"]);
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(
        new RegExp(`^${running}  carry-out-refunds  running since 20[-\\d: ]+$`),
      ),
      `${failed}  send-mail  failed 25 times, next attempt at 2126-01-01 12:00:00: No way.`,
    ]);
    expect(await cli(["retry-job", failed])).toMatchObject({
      code: 0,
      stdout: `Job ${failed}, send-mail, is due now.`,
    });
    const { jobs } = JSON.parse((await cli(["jobs", "--json"])).stdout);
    expect(jobs).toMatchObject([{ state: "running" }, { task: "send-mail", state: "waiting" }]);
    expect(Date.parse(jobs[1].at)).toBeLessThanOrEqual(Date.now());
    expect((await cli(["clear-job", failed])).code).toBe(0);
    const refused = await cli(["clear-job", running]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `Job ${running} is running. Wait until it has ended.`,
    ]);
    expect((await cli(["jobs"])).stdout).not.toContain("send-mail");
  });

  test.each(["retry-job", "clear-job"])(
    "%s does not touch a job that a worker starts at the same moment",
    async (name) => {
      const begun = await aJob("send-mail", "start_after = now()");
      const worker = await pool.connect();
      try {
        await worker.query("begin");
        await worker.query(
          "update pgboss.job set state = 'active', started_on = now() where id = $1",
          [begun],
        );
        const changing = cli([name, begun]);
        await expect.poll(() => waitingForLocks(db), { timeout: 60_000 }).toBe(1);
        await worker.query("commit");
        expect(await changing).toMatchObject({
          code: 1,
          stderr: `Job ${begun} is running. Wait until it has ended.`,
        });
        const { rows } = await pool.query("select state from pgboss.job where id = $1", [begun]);
        expect(rows).toEqual([{ state: "active" }]);
      } finally {
        worker.release(true);
        await pool.query("delete from pgboss.job where id = $1", [begun]);
      }
    },
  );

  /** Returns its id. */
  async function aJob(task: string, change: string): Promise<string> {
    const boss = new PgBoss({ db: { executeSql: (text, values) => pool.query(text, values) } });
    await boss.createQueue(task, { policy: "stately", retryLimit: 24 });
    const id = (await boss.send(task, null, { startAfter: 3600 })) ?? "";
    await pool.query(`update pgboss.job set ${change} where id = $1`, [id]);
    return id;
  }
});
