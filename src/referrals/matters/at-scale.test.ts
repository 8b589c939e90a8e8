import { sql } from "kysely";
import { describe, expect, onTestFinished } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { reviewNetwork } from "#referrals/suspension/suspension.ts";
import { queueReminders } from "#referrals/suspension/reminders.ts";
import { listMatters } from "#referrals/matters/matters.list.ts";
import { listAllMatters } from "#referrals/matters/matters.ts";
import { anExplainingDatabase } from "#tests/support/explain-plans.ts";
import { aLargeNetwork } from "#tests/support/many-matters.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { countingStatements } from "#tests/support/statements.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/*
 * A tenth of the benchmark's size (tests/bench/referrals.ts): one query per attorney or referral fails here, a busy
 * machine does not.
 */

let network: MadeNetwork;
let admin: Visitor;
const today = "2026-07-01";

const test = appTest({ asOwner: true, clock: `${today}T12:00:00Z` });
test.beforeAll(async () => {
  await aLargeNetwork(app.db, { attorneys: 300, openMatters: 6_000, today });
  network = await aLargeNetwork(app.db, { attorneys: 500, openMatters: 10_000, today });
  admin = await signedIn(app, "admin", network);
});

test("the daily review of 500 attorneys is one pass, and a second one changes nothing", async () => {
  await app.db
    .updateTable("networks")
    .set({ suspendsOverdueAttorneys: true })
    .where("id", "=", network.id)
    .execute();
  const counting = countingStatements(app.db);
  const review = () =>
    inTransaction(counting.db, (tx) => reviewNetwork(tx, network.admin, plainDate(today)));
  expect(await review()).toEqual({ suspended: 25, lifted: 0 });
  expect(await review()).toEqual({ suspended: 0, lifted: 0 });
  await queueReminders(counting.db, `${today}T12:00:00Z`);
  expect(counting.count()).toBeLessThan(50);
});

describe("the list of referrals", () => {
  test("counts every match of a search, whichever page is read", async () => {
    const read = async (page: number) => {
      const query = { search: "client", page, per_page: 200 };
      const { items, total } = await admin.call(listMatters, { query });
      return { ids: items.map(({ id }) => id), total };
    };
    const [first, second, last] = [await read(1), await read(2), await read(60)];
    expect([first.total, second.total, last.total]).toEqual([12_000, 12_000, 12_000]);
    const ids = [...first.ids, ...second.ids];
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(new Set(ids).size).toBe(400);
    expect(last.ids).toHaveLength(200);
    expect(await read(61)).toEqual({ ids: [], total: 12_000 });
    expect((await admin.call(listMatters)).total).toBe(12_000);
  });

  test("finds a rare word in its own network's index", async () => {
    const { rows } = await sql<Record<string, string>>`explain select count(*) from matters m
      where m.network_id = ${network.id} and m.search_text like '%surname1234%'`.execute(app.db);
    const plan = rows.map((row) => Object.values(row)[0]).join("\n");
    expect(plan).toContain("matters_search");
  });

  test("reads a page by name, in either direction, from the name index", async () => {
    const explaining = anExplainingDatabase(app.connectionString);
    onTestFinished(() => explaining.close());
    const page = { page: 1, per_page: 50, search: "" };
    for (const sort of ["name", "-name"] as const) {
      await listAllMatters(explaining.db, network.admin, { ...page, sort }, plainDate(today));
      const byName = explaining
        .taken()
        .flatMap(({ steps }) => steps.filter(({ step }) => step.includes("matters_by_name")));
      expect(byName, "no more rows are read than shown").toMatchObject([{ rows: 50 }]);
    }
  });
});
