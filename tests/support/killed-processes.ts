import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { expect, vi } from "vitest";
import type { MadeNetwork } from "#main/demo/records/networks.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import type { RunningApp } from "#tests/support/running-app.ts";

/* Processes that do one thing with money and are killed after each of their statements. */

const program = fileURLToPath(new URL("./killed-at-statement.ts", import.meta.url));
const pollOptions = { timeout: 60_000, interval: 20 };
/** More than any needs: the loop ends when a process does. */
const mostStatements = 60;
/** In the brief form after every third statement. */
const step = inBriefOr(3, 1);

interface World {
  app: RunningApp;
  network: MadeNetwork;
}

/** Resolves with the process's output; null if it was killed. */
async function attempt(
  { app, network }: World,
  work: object,
  statement: number,
): Promise<string | null> {
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

/** Wait until no transaction is open: PostgreSQL has noticed that the process is gone. */
async function waitForOpenTransactions({ app }: World): Promise<void> {
  const open = sql<{ count: number }>`select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`;
  await vi.waitFor(
    async () => expect((await open.execute(app.db)).rows[0]?.count).toBe(0),
    pollOptions,
  );
}

/** All rows that these processes change. */
async function rowFingerprints({ app, network }: World): Promise<string> {
  const tables = [
    "received_checks",
    "payments",
    "payment_allocations",
    "card_payments",
    "card_transactions",
    "card_refunds",
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

/**
 * Run the work in processes that are killed after ever more statements, until one finishes: before that,
 * nothing is recorded, and nothing is done twice. `again`: the output of a repeat. Returns how many
 * statements it takes.
 */
export async function killAtEveryStatement(
  world: World,
  work: object,
  again: RegExp,
): Promise<number> {
  const before = await rowFingerprints(world);
  for (let statement = 0; statement < mostStatements; statement += step) {
    const said = await attempt(world, work, statement);
    await waitForOpenTransactions(world);
    const after = await rowFingerprints(world);
    if (said === null && after === before) continue;
    // The last statement sent may have been the commit: then it is recorded without an answer.
    if (said !== null) expect(said).toBe("done");
    expect(await attempt(world, work, mostStatements)).toMatch(again);
    expect(await rowFingerprints(world)).toBe(after);
    return statement;
  }
  throw new Error("It never ended.");
}

export async function expectSoundLedger({ app, network }: World): Promise<void> {
  expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  const checks = await verifyLedger(app.db, network.id);
  expect(checks.filter((check) => check.offenders > 0)).toEqual([]);
}
