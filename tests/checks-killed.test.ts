import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Temporal } from "temporal-polyfill";
import { sql } from "kysely";
import { expect, vi } from "vitest";
import { dayIn } from "#domain/calendar.ts";
import * as contract from "#features/checks/contract.ts";
import { verifyLedger } from "#features/ledger/verify-ledger.ts";
import { makeAttorney, type MadeAttorney } from "#features/demo/records/attorneys.ts";
import { aFirm, applyCredit, creditsOf, giveBack } from "#tests/support/received-checks.ts";
import { makeDebit } from "#features/demo/records/dues.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";

/*
 * A process that records a firm's check, or returns one, is killed outright after each of its statements: until
 * the last nothing of it is there, and asked again, all of it is, once.
 */

const test = appTest({ network: { timeZone: "UTC" } });
const program = fileURLToPath(new URL("./support/killed-at-statement.ts", import.meta.url));
const today = dayIn("UTC", Temporal.Now.instant()).toString();
const generous = { timeout: 60_000, interval: 20 };
/** More than either needs: the loop ends when a process does. */
const mostStatements = 40;

/** Answers what the process printed; null when it was killed. */
async function attempt(work: object, statement: number): Promise<string | null> {
  const child = spawn(process.execPath, [program], {
    env: {
      ...process.env,
      TEST_DATABASE: app.connectionString,
      TEST_WORK: JSON.stringify({ admin: network.admin, ...work }),
      TEST_STATEMENT: String(statement),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (text) => (printed += String(text)));
  const [code, signal]: unknown[] = await once(child, "close");
  if (signal === "SIGKILL") return null;
  expect(code).toBe(0);
  return printed.trim();
}

/** Nobody is in the middle of a transaction any more: PostgreSQL has noticed that the process is gone. */
async function untilQuiet(): Promise<void> {
  const open = sql<{ count: number }>`select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`;
  await vi.waitFor(
    async () => expect((await open.execute(app.db)).rows[0]?.count).toBe(0),
    generous,
  );
}

/** All that recording or returning a check changes. */
async function everything(): Promise<string> {
  const tables = [
    "received_checks",
    "payments",
    "payment_allocations",
    "debits",
    "credits",
    "entries",
    "charges",
    "audit_entries",
    "mails",
  ];
  const texts = tables.map(async (table) => {
    const { rows } = await sql<{ text: string | null }>`
      select string_agg(t::text, chr(10) order by t::text) as text
      from ${sql.table(table)} t where network_id = ${network.id}`.execute(app.db);
    return `${table}: ${rows[0]?.text}`;
  });
  return (await Promise.all(texts)).join("\n");
}

/** In brief after every third statement. */
const step = inBriefOr(3, 1);

/** Have it done by processes that are killed after some statements more each time, until one is not. */
async function killAtEveryStatement(work: object): Promise<number> {
  const before = await everything();
  for (let statement = 0; statement < mostStatements; statement += step) {
    const said = await attempt(work, statement);
    await untilQuiet();
    const isThere = (await everything()) !== before;
    if (said === null && !isThere) continue;
    // The statement that was sent last may have been the commit: then it is there without an answer.
    if (said === null) expect(await attempt(work, mostStatements)).toMatch(/already been/);
    else expect(said).toBe("done");
    return statement;
  }
  throw new Error("It never ended.");
}

async function expectSoundLedger() {
  expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  const checks = await verifyLedger(app.db, network.id);
  expect(checks.filter((check) => check.offenders > 0)).toEqual([]);
}

async function aFirmCheck() {
  const lawyers: MadeAttorney[] = [
    await makeAttorney(app.db, network),
    await makeAttorney(app.db, network),
  ];
  const debits: number[] = [];
  for (const lawyer of lawyers) debits.push(await makeDebit(app.db, network, lawyer));
  const firmId = await aFirm(app.db, network, lawyers);
  return {
    debits,
    check: {
      check_number: "1020",
      amount: "100",
      received_on: today,
      firm_id: firmId,
      shares: Object.fromEntries(debits.map((id) => [id, "30"])),
      credits: { [lawyers[0]?.id ?? 0]: "40" },
      approve: true,
    },
  };
}

const patience = 600_000;

test(
  "recording a firm's check is all or nothing, wherever it is killed",
  { timeout: patience },
  async () => {
    const { check } = await aFirmCheck();
    const statements = await killAtEveryStatement({ record: check });
    expect(statements).toBeGreaterThan(5);
    const { object } = await admin.ask(contract.listChecks);
    expect(object.items).toMatchObject([
      { checkNumber: "1020", status: "approved", amount: "100.00" },
    ]);
    expect(await creditsOf(app.db, network)).toMatchObject([{ left: 4_000 }]);
    await expectSoundLedger();
  },
);

test(
  "returning a check is all or nothing, wherever it is killed",
  { timeout: patience },
  async () => {
    const { check, debits } = await aFirmCheck();
    const { id } = (await admin.ask(contract.recordWholeCheck, { body: check })).object;
    const creditId = (await creditsOf(app.db, network))[0]?.id ?? 0;
    await applyCredit(app.db, network, { creditId, debitId: debits[0] ?? 0, cents: 1_500 });
    await giveBack(app.db, network, { creditId, cents: 500 });
    const returned = { id, body: { returned_on: today, fee: "35" } };
    const statements = await killAtEveryStatement({ returned });
    expect(statements).toBeGreaterThan(12);
    const { object } = await admin.ask(contract.showCheck, { params: { id } });
    expect(object.status).toBe("returned");
    expect(await creditsOf(app.db, network)).toMatchObject([{ left: 0 }]);
    const charges = await app.db
      .selectFrom("charges")
      .select("amountCents")
      .where("networkId", "=", network.id)
      .orderBy("id")
      .execute();
    expect(charges.map(({ amountCents }) => amountCents)).toEqual([500, 3_500]);
    await expectSoundLedger();
  },
);
