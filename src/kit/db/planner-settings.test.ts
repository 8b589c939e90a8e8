import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, describe, expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { importAttorneys } from "#people/import-attorneys.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { seed } from "#main/demo/seed.ts";
import { importMatters } from "#referrals/matters/import-matters.ts";
import * as subscriptions from "#dues/plans/contract.ts";
import { analyzeAfterBulkInsert, withoutNestedLoops } from "#kit/db/planner-settings.ts";
import { makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app, appTest, network } from "#tests/support/app-test.ts";

let folder: string;
const test = appTest({ clock: "2026-07-01T12:00:00Z", network: { timeZone: "UTC" } });
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "referral-network-sets-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

/** How often the network stands in each of the tables, as far as the database's statistics know. */
async function known(...tables: string[]): Promise<Record<string, boolean>> {
  const { rows } = await sql<{ table: string; found: boolean }>`
    select tablename as table, ${String(network.id)} = any(most_common_vals::text::text[]) as found
    from pg_stats where schemaname = 'public' and attname = 'network_id'
      and tablename = any(${tables})`.execute(app.db);
  return Object.fromEntries(
    tables.map((table) => [table, rows.find((row) => row.table === table)?.found ?? false]),
  );
}

const today = plainDate("2026-07-01");

const file = (name: string, lines: string[]) => {
  const path = join(folder, name);
  writeFileSync(path, lines.join("\n"));
  return { path, encoding: "utf-8" as const, skipsBad: false, today, publicUrl: "" };
};
const some = (count: number, line: (k: number) => string) =>
  Array.from({ length: count }, (_, k) => line(k));

describe("the planner's statistics include the network", () => {
  test("once its panel is imported, and its referrals", async () => {
    const panel = some(1_000, (k) => `Ada,Number ${k},ada-${k}@${network.id}.test`);
    const attorneys = file("panel.csv", ["first name,last name,email", ...panel]);
    await importAttorneys(app.db, network.admin, attorneys);
    expect(await known("attorneys", "matters")).toEqual({ attorneys: true, matters: false });
    const clients = some(1_000, (k) => `R${k},Client,Number ${k},2026-01-01`);
    const matters = file("matters.csv", [
      "reference,first name,last name,submitted on",
      ...clients,
    ]);
    await importMatters(app.db, network.admin, matters);
    expect(await known("matters")).toEqual({ matters: true });
  });

  test("once everyone is subscribed and billed", async () => {
    await makePanel(app.db, network, 1_000);
    const plan = await makePlan(app.db, network);
    const admin = await signedIn(app, "admin", network);
    const terms = { lrs_subscription_id: plan.id, start_date: "2026-06-01" };
    await admin.ask(subscriptions.subscribeAll, { body: terms });
    expect(await known("enrolments", "debits")).toEqual({ enrolments: true, debits: false });
    await runBilling(app.db, network.admin, plainDate("2026-08-01"));
    const money = { debits: true, entries: true };
    expect(await known("debits", "entries")).toEqual(money);
  });

  test("once it is seeded", async () => {
    const wanted = { attorneys: 1_500, plans: 1, months: 1, seed: 1, today };
    await seed(app.db, network.admin, wanted);
    const tables = ["attorneys", "enrolments", "debits", "payments", "payment_allocations"];
    expect(await known(...tables)).toEqual(
      Object.fromEntries(tables.map((table) => [table, true])),
    );
  });

  test("not after a few rows, and a locked table is not waited for", async () => {
    await makePanel(app.db, network, 1_000);
    await analyzeAfterBulkInsert(app.db, 999, ["attorneys"]);
    expect(await known("attorneys")).toEqual({ attorneys: false });
    await app.db.transaction().execute(async (tx) => {
      await sql`lock table attorneys in share update exclusive mode`.execute(tx);
      await analyzeAfterBulkInsert(app.db, 1_000, ["attorneys"]);
    });
    expect(await known("attorneys")).toEqual({ attorneys: false });
    await analyzeAfterBulkInsert(app.db, 1_000, ["attorneys"]);
    expect(await known("attorneys")).toEqual({ attorneys: true });
  });
});

test("bulk settings end with their transaction", async () => {
  const set = async (db: typeof app.db) => {
    const { rows } = await sql<{ value: string }>`
      select current_setting('enable_nestloop') as value`.execute(db);
    return rows[0]?.value;
  };
  expect(await withoutNestedLoops(app.db, set)).toBe("off");
  expect(await app.db.transaction().execute((tx) => withoutNestedLoops(tx, set))).toBe("off");
  expect(await app.db.connection().execute(set)).toBe("on");
});
